// A reader's position in one partition of the topic, as a pure machine:
//
//   fresh ──records──▶ reading ──the high watermark of a reply──▶ following
//     ▲                   │                                          │
//     └──── position lost: another leader's epoch, beyond the end, a connection gone ────┘
//
// After a lost position, the reader begins at the end of the log again: only new beats count.
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
  /** Since when the end has been below `furthest`. */
  readonly shortSince: Instant | undefined;
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
  const unread = { position: undefined, epoch: undefined, shortSince: undefined } as const;
  return { partition, stage: 'fresh', ...unread, furthest: 0n };
}

/** Drops the position. */
export function lose({ partition, furthest }: Cursor): Cursor {
  return { ...newCursor(partition), furthest };
}

/** Sets the position that the broker returned as the end. */
export function startAt(cursor: Cursor, position: bigint): Cursor {
  return { ...cursor, position };
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
  if (highWatermark < position || isOfAnotherLeader(cursor, unread))
    return { cursor: lose(cursor), records: [], update: 'lost' };
  const last = records.at(-1);
  const next = last !== undefined && last.nextOffset > position ? last.nextOffset : position;
  const stage = cursor.stage === 'fresh' && unread.length > 0 ? 'reading' : cursor.stage;
  const read = {
    ...cursor,
    stage,
    position: next,
    epoch: unread.at(-1)?.epoch ?? cursor.epoch,
  };
  return {
    ...atEnd(read, next, highWatermark, now),
    records: unread.filter(({ isControl }) => !isControl),
  };
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
  return {
    cursor: { ...cursor, stage: 'following', furthest: position, shortSince: undefined },
    update: 'end',
  };
}
