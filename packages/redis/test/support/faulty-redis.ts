import { LeadershipError } from '@leadership/core';
import { type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import { Redis, type RedisOptions } from 'ioredis';
import type { IoredisClient } from '../../src/options.ts';

/** The connections of one member, which a test can cut and hinder. */
export interface MemberWay {
  readonly proxy: StoreProxy;
  /** The open connections. */
  readonly open: Set<Redis>;
  /** Whether the network is cut. */
  isCut: boolean;
  /** Sends a request that reaches the server after its member gave it up. */
  readonly late: Redis;
}

/** Creates the way of a member. */
export function memberWay(late: Redis): MemberWay {
  return { proxy: storeProxy(), open: new Set(), isCut: false, late };
}

/** Resets all connections, and fails new ones at once, until disposed. */
export function cut(way: MemberWay): Disposable {
  way.isCut = true;
  for (const client of way.open) client.disconnect();
  return {
    [Symbol.dispose]() {
      way.isCut = false;
    },
  };
}

/** The number of arguments of the script before those of the changes. */
const exchangeHeader = 9;

type Replies = Awaited<ReturnType<ReturnType<Redis['pipeline']>['exec']>>;

/**
 * A client whose requests meet the faults of a `StoreProxy` between the adapter and the server. The
 * adapter duplicates it.
 */
export function faultyRedis(
  options: Required<Pick<RedisOptions, 'host' | 'port'>>,
  way: MemberWay,
): IoredisClient {
  return {
    isCluster: false,
    duplicate: (overrides: Pick<RedisOptions, 'lazyConnect'>) =>
      hindered(new Redis({ ...options, ...overrides }), way),
  };
}

function hindered(client: Redis, way: MemberWay) {
  const { proxy, late, open } = way;
  open.add(client);
  client.once('end', () => open.delete(client));
  return {
    on: client.on.bind(client),
    connect: () => (way.isCut ? Promise.reject(new Error('cut off')) : client.connect()),
    disconnect: () => client.disconnect(),
    get stream() {
      return client.stream;
    },
    subscribe: (channel: string) => client.subscribe(channel),
    pipeline(commands: unknown[][]) {
      const [name, , , , , , ...values] = commands[0] ?? [];
      const send = (): Promise<Replies> =>
        (client.status === 'end' ? late : client).pipeline(commands).exec();
      if (!String(name).startsWith('eval')) return { exec: send };
      const isReading = values.length === exchangeHeader;
      const sent = isReading ? () => proxy.read('rows', send) : () => proxy.exchange(send);
      return { exec: () => sent().catch(asRedis) };
    },
  };
}

/** Converts the fault into what `ioredis` would throw. */
function asRedis(error: Error): never {
  if (!(error instanceof LeadershipError)) throw error;
  const isRefused = error.code === 'unauthorized';
  throw new Error(isRefused ? 'WRONGPASS invalid username-password pair' : 'Connection is closed.');
}
