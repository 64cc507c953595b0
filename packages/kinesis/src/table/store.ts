import type { Clock, Host, Instant } from '@leadership/core/adapter';
import { type InFlight, inFlight, type LatestValue, latestValue } from '@leadership/core/internal';
import type { Guarantee } from '../election.ts';
import { readerCount } from './liveness.ts';
import type { MemberItem } from './member-items.ts';
import type { Table } from './table.ts';

/** The state that ledger, lease requests and presence of one member share. */
export interface Store {
  readonly table: Table;
  readonly group: string;
  /** The guarantee of the group. Members with different guarantees do not form a group. */
  readonly guarantee: Guarantee;
  /** The region that all members use, if this member names one. */
  readonly homeRegion: string | undefined;
  readonly host: Pick<
    Host,
    'member' | 'incarnation' | 'clock' | 'random' | 'confirmed' | 'trouble' | 'warning'
  >;
  readonly clock: Clock;
  readonly busy: InFlight;
  readonly thresholdMs: number;
  /** The interval between two reads of the group's items. Milliseconds. */
  readonly pollMs: number;
  /** How long to wait for an answer. Milliseconds. */
  readonly limitMs: number;
  /**
   * How long to wait for an answer while the group is opened. It is longer because names are
   * resolved, credentials are fetched and registers are created, and no lease depends on it yet.
   * Milliseconds.
   */
  readonly openingMs: number;
  /**
   * Returns the number of members that read the group, as far as known: the candidates and this
   * member.
   */
  readonly readers: () => number;
  /**
   * The members' items as they were last read. The query for the registers returns them as well.
   */
  readonly memberItems: LatestValue<readonly MemberItem[]>;
  /**
   * Set once the group was read and its pin did not refuse this member. Before that the member
   * writes nothing to the table.
   */
  readonly admission: LatestValue<true>;
  /** The pending lease requests of this member, by item name. */
  readonly requests: Map<string, LeaseRequest>;
}

/** A lease request of this member, as it was last written. */
interface LeaseRequest {
  readonly text: string;
  readonly askedAt: Instant;
}

/** Where the group is kept, and its settings. */
export interface StoreOptions {
  readonly table: Table;
  readonly group: string;
  readonly thresholdMs: number;
  readonly guarantee: Guarantee;
  readonly homeRegion?: string | undefined;
}

/**
 * The poll interval as a share of T. Candidates see a renewal late by up to this interval, which
 * prolongs each fail-over.
 */
const pollShare = 1 / 4;
/**
 * The request timeout as a share of T. It equals the engine's timeout of a write: a slower write
 * cannot keep a lease.
 */
const limitShare = 1 / 3;

/** The first request is slow, however short T is. Milliseconds. */
const openingMsMin = 5000;

/** Requests to a stream are slower, and no lease depends on them. Milliseconds. */
const answerMsMin = 1000;

/** Returns how long a member with this T waits for an answer of a stream. Milliseconds. */
export function answerMsOf(thresholdMs: number): number {
  return Math.max(answerMsMin, limitShare * thresholdMs);
}

/**
 * The factor on the poll interval of a member with a pending lease request: its next read ends the
 * hand-over.
 */
const requestingFactor = 1 / 4;
/** The factor on the poll interval of an observer: no lease waits for it. */
const observingFactor = 2;

/**
 * Returns the time between two reads of the group for a member in its current state. Milliseconds.
 */
export function periodMsOf(
  { pollMs, requests }: Pick<Store, 'pollMs' | 'requests'>,
  observes: boolean,
): number {
  if (observes) return observingFactor * pollMs;
  return requests.size > 0 ? requestingFactor * pollMs : pollMs;
}

/** Returns the poll interval of a member with this T. Milliseconds. */
export function pollMsOf(thresholdMs: number): number {
  return pollShare * thresholdMs;
}

/** Creates the store of one member. Sends no request yet. */
export function storeOf(
  { table, group, thresholdMs, guarantee, homeRegion }: StoreOptions,
  host: Host,
): Store {
  const times = {
    thresholdMs,
    pollMs: pollMsOf(thresholdMs),
    limitMs: limitShare * thresholdMs,
    openingMs: Math.max(openingMsMin, limitShare * thresholdMs),
  };
  const memberItems = latestValue<readonly MemberItem[]>();
  const shared = { admission: latestValue<true>(), requests: new Map<string, LeaseRequest>() };
  let readers = 1;
  const counted: LatestValue<readonly MemberItem[]> = {
    ...memberItems,
    set(now) {
      readers = readerCount(now, host.incarnation, thresholdMs);
      memberItems.set(now);
    },
  };
  return {
    table,
    group,
    guarantee,
    homeRegion,
    host,
    clock: host.clock,
    busy: inFlight(),
    ...times,
    readers: () => readers,
    memberItems: counted,
    ...shared,
  };
}
