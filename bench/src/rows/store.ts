// The parts that the benchmarks of all stores of rows share: a server, our members, and other
// implementations on the same server.
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import type { Child } from '@leadership/tools/processes';
import type { ElectionMessage } from '../process/member-messages.ts';
import type { MemberProcess } from '../process/tracked-member.ts';

/** The options of a member process, beside the server. */
export interface MemberOptions {
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** A process that runs one member. */
export type Member = Child<ElectionMessage>;

/** An implementation on the server: ours, or one beside it. */
export interface Implementation<M extends MemberProcess = Member> {
  /** Its name, and its settings. */
  readonly name: string;
  start(options: MemberOptions): M;
}

/** Another implementation, whose requests the server counts too. */
interface Peer extends Implementation {
  /** Returns the number of its requests so far. */
  requests(): Promise<number>;
}

/** Numbers of requests, by kind. */
export type Counts<Kind extends string> = Readonly<Record<Kind, number>>;

/** A server to measure on. Members and round trips reach it by the same way. */
export interface Store extends AsyncDisposable {
  /** The name of its benchmarks. */
  readonly kind: string;
  /** A description of the server. */
  readonly name: string;
  readonly ours: Implementation;
  readonly peers: readonly Peer[];
  /** The request that counts as a round trip. */
  readonly trip: string;
  /** Makes one round trip, over a connection of its own. */
  roundTrip(): Promise<unknown>;
  /** The words for a read and for a change, in the plural. */
  readonly words: Readonly<Record<'reads' | 'writes', string>>;
  /** Returns the number of requests of our members so far. */
  requests(): Promise<Counts<'reads' | 'writes'>>;
}

/** How far away the server is. */
export interface StoreOptions {
  /** How much later all bytes to the server and from it arrive. Milliseconds, default 0. */
  readonly delayMs?: number;
}

/** Starts a server. */
export type OpenStore = (options?: StoreOptions) => Promise<Store>;

/** A way to a server. */
export interface Way extends AsyncDisposable {
  readonly port: number;
}

/** Opens a way to a port of this host: a proxy that delays all bytes, if there is a delay. */
export async function pathTo(port: number, delayMs = 0): Promise<Way> {
  if (delayMs === 0) return { port, [Symbol.asyncDispose]: () => Promise.resolve() };
  const proxy: TcpProxy = await tcpProxy({ port });
  proxy.delay(delayMs);
  return proxy;
}
