// One member's access to its store of rows: reads, conditional changes, and notifications that a
// row has changed.
import { type InFlight, inFlight } from '../../async/in-flight.ts';
import { type LatestValue, latestValue } from '../../async/latest-value.ts';
import { type TimeoutOptions, withTimeout } from '../../async/with-timeout.ts';
import type { Host } from '../../contract/backend.ts';
import { LeadershipError } from '../../contract/leadership-error.ts';
import type { Clock } from '../../time/clock.ts';
import type { DeliveryRule } from './delivered-rows.ts';
import type { MemberRow } from './member-rows.ts';
import type { RowChange, RowOutcome, Rows } from './rows.ts';
import type { TableLedgerOptions } from './table-options.ts';

/** The part of the host that a ledger over rows uses. */
export type TableHost = Pick<
  Host,
  'member' | 'incarnation' | 'clock' | 'random' | 'confirmed' | 'trouble' | 'warning'
>;

/** The state that ledger, lease requests and presence of one member share. */
export interface TableStore {
  readonly rows: Rows;
  readonly options: TableLedgerOptions;
  readonly host: TableHost;
  readonly clock: Clock;
  readonly inFlight: InFlight;
  readonly thresholdMs: number;
  /** The interval between two reads of the rows. Milliseconds. */
  readonly pollMs: number;
  /** How long to wait for an answer. Milliseconds. */
  readonly limitMs: number;
  /**
   * How long to wait for an answer while the group is opened. It is longer because names are
   * resolved, credentials are fetched and registers are created, and no lease depends on it yet.
   * Milliseconds.
   */
  readonly openingMs: number;
  /** The members' rows as they were last read. The read of the registers returns them as well. */
  readonly memberRows: LatestValue<readonly MemberRow[]>;
  /** Whether this member is a candidate now. Any other member only reads. */
  isCandidate: boolean;
  /**
   * Set once the group was read and its pin did not refuse this member. Before that the member
   * writes nothing but the pin's genesis.
   */
  readonly admission: LatestValue<true>;
  /** Decides which delivered rows are reported without a read. */
  readonly mayDeliver: DeliveryRule;
  /** Returns a life id that was never used before. */
  newLife(): string;
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

/**
 * The share by which a pause between two reads may be longer, so that members do not read in step.
 * It is never shorter: the cost of an idle member is at most one read per poll interval.
 */
export const readingJitter = 0.1;

/** Returns the longest time between two reads of a candidate, for this poll interval. Milliseconds. */
export function readingMsMax(pollMs: number): number {
  return (1 + readingJitter) * pollMs;
}

/** Returns the poll interval of a member with this T. Milliseconds. */
function pollMsOf(thresholdMs: number): number {
  return pollShare * thresholdMs;
}

/** Creates the shared state of one member. Sends no request yet. */
export function tableStore(
  rows: Rows,
  options: TableLedgerOptions,
  host: TableHost,
  mayDeliver: DeliveryRule,
): TableStore {
  const { thresholdMs } = options;
  const { pollMs = pollMsOf(thresholdMs), limitMs = limitShare * thresholdMs } = options;
  let lives = 0;
  return {
    rows,
    options,
    host,
    clock: host.clock,
    inFlight: inFlight(),
    thresholdMs,
    pollMs,
    limitMs,
    openingMs: Math.max(openingMsMin, limitMs),
    memberRows: latestValue<readonly MemberRow[]>(),
    admission: latestValue<true>(),
    isCandidate: options.campaign,
    mayDeliver,
    newLife() {
      lives += 1;
      // The incarnation is unguessable and used once.
      return `${host.incarnation}/${lives}`;
    },
  };
}

/**
 * Reads the rows.
 *
 * @throws LeadershipError `unreachable` with the name of the store if the answer does not arrive in
 * time
 */
export function listRows(
  store: TableStore,
  limitMs: number,
  mayLag: boolean,
  until: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { rows, clock } = store;
  return limited(rows, { clock, limitMs, signal: until }, (signal) =>
    rows.list({ signal, mayLag }),
  );
}

/** Changes one row, with the time limit of `listRows`. Rejects if the outcome is unknown. */
export function replaceRow(
  { rows, clock, inFlight, limitMs }: TableStore,
  change: RowChange,
  until: AbortSignal,
): Promise<RowOutcome> {
  return inFlight.track(
    limited(rows, { clock, limitMs, signal: until }, (signal) => rows.replace(change, signal)),
  );
}

/**
 * Returns the text of the row after a change: the new text, or the one that it holds instead. A
 * store that does not say which one is read once more.
 */
export async function textAfter(
  store: TableStore,
  { name, text }: RowChange,
  { isDone, found }: RowOutcome,
  until: AbortSignal,
): Promise<string | null> {
  if (isDone) return text;
  if (found !== undefined) return found;
  return readRow(store, name, until);
}

/** Reads one row; `null` if it does not exist. Costs a read of all rows. */
export async function readRow(
  store: TableStore,
  name: string,
  until: AbortSignal,
): Promise<string | null> {
  return (await listRows(store, store.limitMs, false, until)).get(name) ?? null;
}

async function limited<T>(
  { name }: Rows,
  options: TimeoutOptions,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withTimeout(options, call);
  } catch (error) {
    if (error instanceof LeadershipError || options.signal.aborted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new LeadershipError('unreachable', `${name}: ${message}`, { cause: error });
  }
}
