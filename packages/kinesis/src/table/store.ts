// The table and the stream of a group, which the ledger and the notifications of one member share.
import type { Clock, Host } from '@leadership/core/adapter';
import { type InFlight, inFlight } from '@leadership/core/internal/engine';
import type { Guarantee } from '../election.ts';
import type { Table } from './table.ts';

/** The state that the table and the stream of one member share. */
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
  /** Notes the incarnations that are present. */
  seen(present: readonly string[]): void;
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
  let readers = 1;
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
    seen(present) {
      readers = new Set([...present, host.incarnation]).size;
    },
  };
}
