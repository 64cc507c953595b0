// The table and the stream of a group, which the rows, the beats and the notifications of one member share.
import type { Clock, Host } from '@leadership/core/adapter';
import { type InFlight, inFlight } from '@leadership/core/internal/engine';
import type { Table } from './table.ts';

/** The state that the table and the stream of one member share. */
export interface Store {
  readonly table: Table;
  readonly group: string;
  /** The region that all members use, if this member names one. */
  readonly homeRegion: string | undefined;
  readonly host: Pick<
    Host,
    'member' | 'incarnation' | 'clock' | 'random' | 'confirmed' | 'trouble' | 'warning'
  >;
  readonly clock: Clock;
  readonly busy: InFlight;
  readonly thresholdMs: number;
  /** How long a member that starts waits for the stream, and a refusal is final. Milliseconds. */
  readonly firstListenMs: number;
  /** How long an answer may take before a warning. Milliseconds. */
  readonly limitMs: number;
  /**
   * How long to wait for an answer while the group is opened. It is longer because names are
   * resolved and credentials are fetched, and no lease depends on it yet. Milliseconds.
   */
  readonly openingMs: number;
  /**
   * Returns the number of members that read the group, as far as known: the candidates and this
   * member.
   */
  readonly readers: () => number;
  /** Notes the incarnations that are present, by a reading. */
  seen(incarnations: readonly string[]): void;
}

/** Where the group is kept, and its settings. */
export interface StoreOptions {
  readonly table: Table;
  readonly group: string;
  readonly thresholdMs: number;
  readonly homeRegion?: string | undefined;
  /** Called with the incarnations that are present, after each reading. */
  readonly present?: (incarnations: readonly string[]) => void;
}

/** The wait for the stream at the start as a share of T. */
const firstListenShare = 1 / 4;
/** After that share of T, an answer is late: a slower one cannot keep a lease. */
const limitShare = 1 / 3;

/** The first request is slow, however short T is. Milliseconds. */
const openingMsMin = 5000;

/** Requests to a stream are slower, and no lease depends on them. Milliseconds. */
const answerMsMin = 1000;

/** Returns how long a member with this T waits for an answer of a stream. Milliseconds. */
export function answerMsOf(thresholdMs: number): number {
  return Math.max(answerMsMin, limitShare * thresholdMs);
}

/** Creates the store of one member. Sends no request yet. */
export function storeOf(
  { table, group, thresholdMs, homeRegion, present = () => undefined }: StoreOptions,
  host: Host,
): Store {
  const times = {
    thresholdMs,
    firstListenMs: firstListenShare * thresholdMs,
    limitMs: limitShare * thresholdMs,
    openingMs: Math.max(openingMsMin, limitShare * thresholdMs),
  };
  let readers = 1;
  return {
    table,
    group,
    homeRegion,
    host,
    clock: host.clock,
    busy: inFlight(),
    ...times,
    readers: () => readers,
    seen(incarnations) {
      readers = new Set([...incarnations, host.incarnation]).size;
      present(incarnations);
    },
  };
}
