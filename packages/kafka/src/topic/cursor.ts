// A reader's position in one partition of the topic, as a pure machine:
//
//   fresh ──records──▶ reading ──the high watermark of a reply──▶ following
//     ▲                   │                                          │
//     └──── position lost: another leader's epoch, beyond the end, a connection gone (L11) ────┘
//
// After a lost position, the reader reads again. An offset alone proves nothing in a log that may
// have lost its tail. But if the record that was read last is still at its offset with its leader
// epoch, every record before it is still there too. So reading resumes at a later offset if the
// caller knows one (L10). If that record is not found, reading starts over at the log's start
// (L11).
import type { Instant } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import type { FetchedPartition, FetchedRecord } from '../connection/fetched-partition.ts';

/** A reader's position in one partition, as plain data. */
export interface Cursor {
  readonly partition: number;
  /** `fresh`: nothing was read since the position was last lost. */
  readonly stage: 'fresh' | 'reading' | 'following';
  /** The offset of the next fetch; `undefined`: the start of the log. */
  readonly position: bigint | undefined;
  /** The leader epoch of the last batch that was read. */
  readonly epoch: number | undefined;
  /** The greatest end offset that was ever read. */
  readonly furthest: bigint;
  /** The record that was read last. It verifies a resumed position. */
  readonly last: Mark | undefined;
  /** After a resumption: the record that must be found again before the end. */
  readonly expected: Mark | undefined;
  /** Since when the end has been below `furthest`. */
  readonly shortSince: Instant | undefined;
}

/** The parts of a record that identify it in a later read. */
interface Mark {
  readonly offset: bigint;
  readonly epoch: number | undefined;
  readonly value: Uint8Array;
}

/** The effect of a reply. */
export interface Taken {
  readonly cursor: Cursor;
  readonly records: readonly FetchedRecord[];
  /** `end`: the end was reached, for the first time since the position was lost. */
  readonly update: 'none' | 'end' | 'lost';
}

/**
 * How long an end may be below an offset that was read before, in milliseconds. A new leader learns
 * the high watermark from its followers within half a second (replica.fetch.wait.max.ms); until
 * then, a lower end does not mean a lost tail. This is twice that time.
 */
const shortMs = 1_000;

/** Returns a cursor that has read nothing. */
export function newCursor(partition: number): Cursor {
  const unread = {
    position: undefined,
    epoch: undefined,
    last: undefined,
    expected: undefined,
  } as const;
  return { partition, stage: 'fresh', ...unread, furthest: 0n, shortSince: undefined };
}

/** Drops the position. The record that was read last is kept, to verify a later position. */
export function lose({ partition, furthest, last, expected }: Cursor): Cursor {
  return { ...newCursor(partition), furthest, last: expected ?? last };
}

/** Drops the position and the record that was read last: reading starts over. */
export function startOver({ partition, furthest }: Cursor): Cursor {
  return { ...newCursor(partition), furthest };
}

/** Sets the position that the broker returned for the origin. */
export function startAt(cursor: Cursor, position: bigint): Cursor {
  return { ...cursor, position };
}

/**
 * Resumes at `position`, the lowest offset that is needed. Returns `undefined` if no known record
 * could verify it.
 */
export function resumeAt(cursor: Cursor, position: bigint): Cursor | undefined {
  const { last } = cursor;
  if (last === undefined || last.offset < position) return undefined;
  return { ...cursor, position, expected: last };
}

/**
 * Applies a reply to a fetch from the cursor's position. A cursor without a position ignores it.
 */
export function take(
  cursor: Cursor,
  { highWatermark, records }: FetchedPartition,
  now: Instant,
): Taken {
  const { position } = cursor;
  if (position === undefined) return { cursor, records: [], update: 'none' };
  // KafkaJS returns whole batches, including control records.
  const unread = records.filter(({ offset }) => offset >= position);
  const expected = expectedAfter(cursor, unread);
  const isLost =
    highWatermark < position || expected === 'missing' || isOfAnotherLeader(cursor, unread);
  if (isLost) return { cursor: lose(cursor), records: [], update: 'lost' };
  const last = records.at(-1);
  const next = last !== undefined && last.nextOffset > position ? last.nextOffset : position;
  const stage = cursor.stage === 'fresh' && unread.length > 0 ? 'reading' : cursor.stage;
  const read = {
    ...cursor,
    stage,
    position: next,
    epoch: unread.at(-1)?.epoch ?? cursor.epoch,
    last: markOf(unread) ?? cursor.last,
    expected,
  };
  return {
    ...atEnd(read, next, highWatermark, now),
    records: unread.filter(({ isControl }) => !isControl),
  };
}

/**
 * Returns the record that is still sought after these records; `missing` if its offset holds
 * another record.
 */
function expectedAfter(
  { expected }: Cursor,
  records: readonly FetchedRecord[],
): Mark | undefined | 'missing' {
  const found = expected && records.find(({ offset }) => offset >= expected.offset);
  if (expected === undefined || found === undefined) return expected;
  return isSame(expected, found) ? undefined : 'missing';
}

function isSame(mark: Mark, { offset, epoch, value }: FetchedRecord): boolean {
  return (
    offset === mark.offset &&
    epoch === mark.epoch &&
    value !== null &&
    Buffer.compare(value, mark.value) === 0
  );
}

/**
 * Returns a mark of the last record that can be identified later. A record without a value or an
 * epoch looks the same in another log. The value is copied, because the decoded one is a view that
 * keeps the whole reply in memory.
 */
function markOf(records: readonly FetchedRecord[]): Mark | undefined {
  const last = records.findLast(({ value, epoch }) => value !== null && epoch !== undefined);
  return last?.value
    ? { offset: last.offset, epoch: last.epoch, value: Uint8Array.from(last.value) }
    : undefined;
}

/**
 * Detects a new leader after the end was read: it may lack a tail that was read. In history,
 * changes of the epoch are normal.
 */
function isOfAnotherLeader({ stage, epoch }: Cursor, records: readonly FetchedRecord[]): boolean {
  return (
    stage === 'following' && epoch !== undefined && records.some((record) => record.epoch !== epoch)
  );
}

function atEnd(
  cursor: Cursor,
  position: bigint,
  highWatermark: bigint,
  now: Instant,
): Pick<Taken, 'cursor' | 'update'> {
  if (position < highWatermark) return { cursor, update: 'none' };
  if (cursor.stage === 'following')
    return { cursor: { ...cursor, furthest: position }, update: 'none' };
  const { furthest, shortSince = now } = cursor;
  if (position < furthest && now < after(shortSince, shortMs))
    return { cursor: { ...cursor, shortSince }, update: 'none' };
  // The end was reached without the sought record: the log has lost its tail.
  if (cursor.expected) return { cursor: lose(cursor), update: 'lost' };
  return {
    cursor: { ...cursor, stage: 'following', furthest: position, shortSince: undefined },
    update: 'end',
  };
}
