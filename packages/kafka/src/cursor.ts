// Where a reader stands in one partition of the topic, as a pure machine:
//
//   fresh ──records──▶ reading ──the high watermark of a reply──▶ following
//     ▲                   │                                          │
//     └──── position lost: another leader's epoch, beyond the end, a connection gone (L11) ────┘
//
// Whoever lost the position reads again from the log's start: no offset of a log that may have lost its tail means anything.
import { after, type Instant } from '@leadership/core/backend';
import type { FetchedPartition, FetchedRecord } from './fetched.ts';

/** A reader's place in one partition. Plain data. */
export interface Cursor {
  readonly partition: number;
  /** `fresh`: nothing was read since the position was last lost. */
  readonly stage: 'fresh' | 'reading' | 'following';
  /** The offset to ask for; `undefined`: wherever the log starts. */
  readonly position: bigint | undefined;
  /** The leader's epoch in the last batch that was read. */
  readonly epoch: number | undefined;
  /** As far as was ever read. */
  readonly furthest: bigint;
  /** Since when the end is short of that. */
  readonly shortSince: Instant | undefined;
}

/** What a reply meant. */
export interface Taken {
  readonly cursor: Cursor;
  readonly records: readonly FetchedRecord[];
  /** `end`: the end was reached, for the first time since the position was lost. */
  readonly news: 'none' | 'end' | 'lost';
}

/**
 * A new leader learns how far readers may see from its followers, within half a second (replica.fetch.wait.max.ms): until then an
 * end that is short of what was read before is no lost tail. Twice that. Milliseconds.
 */
const shortMs = 1_000;

/** A place at the start of a partition. */
export function newCursor(partition: number): Cursor {
  return { partition, stage: 'fresh', position: undefined, epoch: undefined, furthest: 0n, shortSince: undefined };
}

/** The same place, its position lost. */
export function lose({ partition, furthest }: Cursor): Cursor {
  return { ...newCursor(partition), furthest };
}

/** The log starts at `position`, as it was asked. */
export function startAt(cursor: Cursor, position: bigint): Cursor {
  return { ...cursor, position };
}

/** A reply to a fetch from the cursor's position, which must be known. */
export function take(cursor: Cursor, { highWatermark, records }: FetchedPartition, now: Instant): Taken {
  const { position } = cursor;
  if (position === undefined) return { cursor, records: [], news: 'none' };
  // KafkaJS hands out whole batches, and what brokers write about transactions.
  const unread = records.filter(({ offset }) => offset >= position);
  if (highWatermark < position || isOfAnotherLeader(cursor, unread)) return { cursor: lose(cursor), records: [], news: 'lost' };
  const last = records.at(-1);
  const next = last !== undefined && last.nextOffset > position ? last.nextOffset : position;
  const stage = cursor.stage === 'fresh' && unread.length > 0 ? 'reading' : cursor.stage;
  const read = { ...cursor, stage, position: next, epoch: unread.at(-1)?.epoch ?? cursor.epoch };
  return { ...atEnd(read, next, highWatermark, now), records: unread.filter(({ isControl }) => !isControl) };
}

/** A leader that came after the end was read may lack a tail that was read. While history is read, epochs change as they did. */
function isOfAnotherLeader({ stage, epoch }: Cursor, records: readonly FetchedRecord[]): boolean {
  return stage === 'following' && epoch !== undefined && records.some((record) => record.epoch !== epoch);
}

function atEnd(cursor: Cursor, position: bigint, highWatermark: bigint, now: Instant): Pick<Taken, 'cursor' | 'news'> {
  if (position < highWatermark) return { cursor, news: 'none' };
  if (cursor.stage === 'following') return { cursor: { ...cursor, furthest: position }, news: 'none' };
  const { furthest, shortSince = now } = cursor;
  if (position < furthest && now < after(shortSince, shortMs)) return { cursor: { ...cursor, shortSince }, news: 'none' };
  return { cursor: { ...cursor, stage: 'following', furthest: position, shortSince: undefined }, news: 'end' };
}
