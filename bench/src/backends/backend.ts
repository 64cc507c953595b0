// The description of a backend for the benchmarks of elections. Each file of this folder declares
// one: how to open its members by URL, its bare round trip, how its requests are counted, and its
// targets.
import { type SpawnedMember, spawnMember } from '@leadership/testkit/faults';

/** A backend to measure. */
export interface Backend<Open extends OpenBackend = OpenBackend> {
  /** The name of its benchmarks, without what they measure. */
  readonly name: string;
  /** Resolves with whether it can be started here. Otherwise one line on stderr says what is missing. */
  isOffered(): Promise<boolean>;
  /** Starts it for one benchmark. */
  open(options: OpenOptions): Promise<Open>;
  readonly failover?: FailoverTarget;
  readonly handover?: HandoverTarget;
}

/** How a benchmark uses a backend. */
export interface OpenOptions {
  /** The greatest number of members that run at once. */
  readonly members: number;
  /** How much later all bytes to the server and from it arrive. Milliseconds, default 0. */
  readonly delayMs?: number;
  /** Whether the bytes of the members are counted, where the backend can. Default `false`. */
  readonly countsBytes?: boolean;
}

/** A backend that is open. Disposing ends its servers and removes its groups. */
export interface OpenBackend extends AsyncDisposable {
  /** The store or the hosts of the members, for the table. */
  readonly place: string;
  /** Returns how this member reaches the group. */
  address(group: string, member: string): Address;
  /** The names of all members, if they elect among themselves. Otherwise any name is one. */
  readonly names?: readonly string[];
  /** Makes one round trip without any protocol, on the way that the members use. */
  roundTrip?(): Promise<RoundTrip>;
  /** Counts the requests of its members. */
  readonly requests?: RequestCounter;
  /** Returns the bytes of its members so far. */
  bytes?(): { readonly toServer: number; readonly toClients: number };
  /** Opens other implementations in the same place. */
  peers?(): Promise<Peers>;
}

/** How a member reaches its group. */
interface Address {
  readonly url: string;
  /** The module of its backend, as a URL. Default: what `openLeadership` loads. */
  readonly module?: string;
  /** Variables of the member's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A round trip without any protocol. */
export interface RoundTrip {
  readonly ms: number;
  /** The part of it in which another process notices what has taken effect already. */
  readonly noticeMs?: number;
}

/** Numbers of requests, by kind. */
export type Counts = Readonly<Record<string, number>>;

/** Counts requests. */
export interface RequestCounter {
  /** The words for the kinds of requests, in the plural. */
  readonly words: Readonly<Record<string, string>>;
  /** Returns the documented numbers of requests of a whole group in T. */
  documented(size: GroupSize, thresholdMs: number): Counts;
  /** Resolves with the number of requests of these members so far. */
  count(members: readonly string[]): Promise<Counts>;
  /** How much more than documented is within the target, for any window. Default 1. */
  readonly limit?: number;
}

/** The size of a group. */
export interface GroupSize {
  readonly partitions: number;
  readonly members: number;
}

/** The target of fail-overs: for the p99 of all, and for the median. */
export interface FailoverTarget {
  /** The limit, in T. */
  readonly thresholds: number;
  /** The quantile of the round trips, and the milliseconds, that come on top. Default: none. */
  readonly roundTrip?: { readonly quantile: number; readonly slackMs: number };
  /** The target for the median, in T. Default 1. */
  readonly halfThresholds?: number;
  /** Which of both the ratio compares. Default `p99`. */
  readonly by?: 'p50' | 'p99';
  /** The shortest pause before a crash, and how much longer it may be. In T, default 1 and 1/3. */
  readonly rest?: { readonly least: number; readonly spread: number };
}

/** The target of hand-overs. */
export interface HandoverTarget {
  readonly members: number;
  /** The value that the ratio compares with the baseline. */
  readonly by: 'p50' | 'p99';
  /** The limit, in round trips and milliseconds. */
  readonly limit: { readonly roundTrips: number; readonly slackMs: number };
  /** A description of a round trip, and their number before each hand-over. */
  readonly roundTrip: { readonly what: string; readonly count: number };
  /** A fixed baseline instead of the median round trip. Milliseconds. */
  readonly baselineMs?: number;
  /** The delay of the way to the server, in each direction. Milliseconds. */
  readonly delayMs?: number;
  /**
   * How much longer a pause may be, at random, so that members that poll do not always resign at the
   * same point of their interval. In T, default 0.
   */
  readonly spread?: number;
}

/** Other implementations. */
export interface Peers {
  readonly peers: readonly Peer[];
  /** Remarks about their settings, and why others are left out. */
  readonly notes: readonly string[];
}

/** Another implementation of an election, whose members are processes too. */
export interface Peer {
  /** Its name, and its settings. */
  readonly name: string;
  start(options: MemberOptions): Promise<SpawnedMember>;
  /** Returns the number of its requests so far. */
  requests?(): Promise<number>;
  /** Waits until a new member belongs to its group. Default: as for our members. */
  rest?(): Promise<unknown>;
  /** Whether its leader has to close to hand over. */
  readonly closes?: boolean;
}

/** The options of a member. */
export interface MemberOptions {
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/**
 * Starts a member in a process of its own, and resolves once it is ready. One that elects among
 * others is ready only with them, so there it resolves once the member is open.
 */
export async function startMember(
  open: OpenBackend,
  { group, member, ...options }: MemberOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<SpawnedMember> {
  const { env: own, ...address } = open.address(group, member);
  const started = await spawnMember(
    { ...address, options: { member, ...options }, work: { kind: 'none' } },
    { ...own, ...env },
  );
  return open.names === undefined ? await ready(started) : started;
}

/** Resolves with the member once it is ready. Kills it if that fails. */
async function ready(member: SpawnedMember): Promise<SpawnedMember> {
  try {
    const { kind, detail } = await member.until((event) => /^(ready|refused)$/.test(event.kind));
    if (kind === 'refused') throw new Error(`${member.member} was refused: ${detail}`);
    return member;
  } catch (error) {
    await member.kill();
    throw error;
  }
}
