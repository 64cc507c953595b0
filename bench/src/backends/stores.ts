// The stores of rows that a server keeps, which the benchmarks of elections use alike. Members read every
// T/4, so that is the limit of a fail-over beside 1.05 T.
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import type { Backend, GroupSize, OpenBackend, OpenOptions, RequestCounter } from './backend.ts';

/** A server of this host. Disposing ends it. */
export interface Server extends AsyncDisposable {
  readonly port: number;
}

/** The parts of a store that differ. */
export interface Store<S extends Server> extends Pick<Backend, 'name' | 'isOffered'> {
  /** The request that counts as a round trip. */
  readonly roundTrip: string;
  /** The time of a hand-over beyond three round trips, where members only poll. Milliseconds, default 0. */
  readonly pollMs?: number;
  /** Starts the server, whose writes wait for the disk if it has one. */
  start(): Promise<S>;
  /** Uses the server through `port`, on which all bytes may be late. */
  use(server: S, port: number): Promise<StoreClient>;
}

/** A server in use, with a connection of its own for round trips. Disposing closes it. */
interface StoreClient extends Pick<OpenBackend, 'place' | 'address' | 'peers'>, AsyncDisposable {
  /** Makes one round trip. */
  request(): Promise<unknown>;
  /** The words for a read and for a change, in the plural. */
  readonly words: Readonly<Record<'reads' | 'writes', string>>;
  /** Resolves with the number of requests of our members so far. */
  count(): Promise<Readonly<Record<'reads' | 'writes', number>>>;
  /** The documented number of requests in T. Default: those of one request in each exchange. */
  documented?(size: GroupSize): Readonly<Record<'reads' | 'writes', number>>;
}

/** Returns the backend of a store. */
export function storeBackend<S extends Server>(store: Store<S>): Backend {
  return {
    name: store.name,
    isOffered: store.isOffered,
    open: (options) => open(store, options),
    failover: { thresholds: 1.05 + 1 / 4 },
    // The server is on the same host, where a round trip is shorter than the time that processes
    // need to be scheduled. Everything reaches it through a proxy that delays each direction.
    handover: {
      members: 2,
      by: 'p50',
      limit: { roundTrips: 3, slackMs: store.pollMs ?? 0 },
      roundTrip: { what: store.roundTrip, count: 4 },
      delayMs: 5,
      spread: 1,
    },
  };
}

async function open<S extends Server>(
  store: Store<S>,
  { delayMs = 0, countsBytes = false }: OpenOptions,
): Promise<OpenBackend> {
  const server = await store.start();
  const proxy = delayMs > 0 || countsBytes ? await delayed(server.port, delayMs) : undefined;
  const client = await store.use(server, proxy?.port ?? server.port);
  return {
    place: client.place,
    address: client.address,
    ...(client.peers && { peers: client.peers }),
    requests: counterOf(client),
    ...(proxy && { bytes: () => bytesOf(proxy) }),
    async roundTrip() {
      const began = performance.now();
      await client.request();
      return { ms: performance.now() - began };
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await proxy?.[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function bytesOf({ counters }: TcpProxy) {
  return { toServer: counters.bytesToServer, toClients: counters.bytesToClient };
}

async function delayed(port: number, delayMs: number): Promise<TcpProxy> {
  const proxy = await tcpProxy({ port });
  proxy.delay(delayMs);
  return proxy;
}

function counterOf({ words, count, documented = bySession }: StoreClient): RequestCounter {
  return { words, count, documented };
}

/**
 * Every request reads. A member that leads sends 3 / T, which change something; each other one 4 / T, of which
 * two change something.
 */
export function bySession({ partitions, members }: GroupSize): Record<'reads' | 'writes', number> {
  const leading = Math.min(partitions, members);
  const waiting = members - leading;
  return { reads: 3 * leading + 4 * waiting, writes: 3 * leading + 2 * waiting };
}

/** The same where members follow the rows: what changes something needs no reading. */
export function byFollowing(size: GroupSize): Record<'reads' | 'writes', number> {
  const { reads, writes } = bySession(size);
  return { reads: reads - writes, writes };
}
