import { Socket } from 'node:net';
import { LeadershipError } from '@leadership/core';
import { type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import pg from 'pg';
import type { TestConfig } from './server.ts';

/** The connections of one member, which a test can cut and hinder. */
export interface MemberWay {
  readonly proxy: StoreProxy;
  readonly sockets: MemberSockets;
  /** Sends a statement that reaches the server after its member gave it up. */
  readonly late: pg.Pool;
}

/** The sockets of one member. */
class MemberSockets {
  readonly #open = new Set<Socket>();
  #isCut = false;

  create(): Socket {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    if (this.#isCut) setImmediate(() => socket.destroy(new Error('cut off')));
    return socket;
  }

  /** Resets all connections, and fails new ones at once, until disposed. */
  cut(): Disposable {
    this.#isCut = true;
    for (const socket of this.#open) socket.destroy(new Error('cut off'));
    return {
      [Symbol.dispose]: () => {
        this.#isCut = false;
      },
    };
  }
}

/** Creates the way of a member. */
export function memberWay(late: pg.Pool): MemberWay {
  return { proxy: storeProxy(), sockets: new MemberSockets(), late };
}

type Wayward = pg.PoolConfig & { readonly way: MemberWay };

/**
 * A pool whose statements meet the faults of a `StoreProxy` between the adapter and the server. The
 * adapter creates a pool of the same class with the same options.
 */
export class FaultyPool extends pg.Pool {
  readonly #way: MemberWay;
  readonly #clients = new WeakMap<object, object>();

  constructor(config: Wayward) {
    super({ ...config, stream: () => config.way.sockets.create() });
    this.#way = config.way;
  }

  /** Creates the pool that an application passes to the adapter. It never connects itself. */
  static of(config: TestConfig, way: MemberWay): FaultyPool {
    return new FaultyPool({ ...config, way });
  }

  override async connect(): Promise<never> {
    const client = await super.connect();
    const known = this.#clients.get(client) ?? hindered(client, this.#way);
    this.#clients.set(client, known);
    return known as never;
  }
}

interface Answer {
  readonly rows: readonly object[];
}

/** Returns a client whose requests pass the proxy: readings, and exchanges with changes. */
function hindered(client: pg.PoolClient, { proxy, late }: MemberWay) {
  let isDestroyed = false;
  return {
    // The adapter knows a connection by this object.
    processID: (client as unknown as { readonly processID: number }).processID,
    on: client.on.bind(client),
    release(destroy?: boolean) {
      isDestroyed = destroy === true;
      client.release(destroy);
    },
    query(asked: string | pg.QueryConfig<string[]>, given: string[] = []): Promise<Answer> {
      const {
        text,
        values = [],
        ...plan
      } = typeof asked === 'string' ? { text: asked, values: given } : asked;
      const send = (): Promise<Answer> =>
        (isDestroyed ? late : client).query({ ...plan, text, values });
      if (!text.startsWith('with here')) return send();
      return (values.length > 7 ? proxy.exchange(send) : proxy.read('rows', send)).catch(
        asPostgres,
      );
    },
  };
}

/** Converts the fault into what `pg` would throw. */
function asPostgres(error: Error): never {
  if (!(error instanceof LeadershipError)) throw error;
  const isRefused = error.code === 'unauthorized';
  const message = isRefused ? 'password authentication failed' : 'Connection terminated';
  throw Object.assign(new Error(message, { cause: error }), {
    ...(isRefused ? { code: '28P01', severity: 'FATAL' } : { code: 'ECONNRESET' }),
  });
}
