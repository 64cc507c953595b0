// Where a reader stands in one partition of the topic, as a pure machine:
//
//   fresh ──records──▶ reading ──the high watermark of a reply──▶ following
//     ▲                   │                                          │
//     └──── position lost: another leader's epoch, beyond the end, a connection gone (L11) ────┘
//
// Whoever lost the position reads again. An offset of a log that may have lost its tail means nothing by itself; but where the last record
// that was read is still there, at its offset and in its leader's epoch, so is everything before it. So reading resumes further up if the
// caller knows from where (L10), and starts over from the log's start where that record is not found (L11).
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
  /** The record that was read last: what reading is resumed by. */
  readonly last: Mark | undefined;
  /** Reading was resumed: this record has to be found again before the end is reached. */
  readonly sought: Mark | undefined;
  /** Since when the end is short of that. */
  readonly shortSince: Instant | undefined;
}

/** A record, so far as is needed to know it again. */
interface Mark {
  readonly offset: bigint;
  readonly epoch: number | undefined;
  readonly value: Uint8Array;
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
  const unread = { position: undefined, epoch: undefined, last: undefined, sought: undefined } as const;
  return { partition, stage: 'fresh', ...unread, furthest: 0n, shortSince: undefined };
}

/** The same place, its position lost. What was read before may bear out a position further up. */
export function lose({ partition, furthest, last, sought }: Cursor): Cursor {
  return { ...newCursor(partition), furthest, last: sought ?? last };
}

/** The same place, and nothing that was read before counts: reading starts over. */
export function startOver({ partition, furthest }: Cursor): Cursor {
  return { ...newCursor(partition), furthest };
}

/** The log starts at `position`, as it was asked. */
export function startAt(cursor: Cursor, position: bigint): Cursor {
  return { ...cursor, position };
}

/** Reads on from `position`, where all that is needed stands at or behind it; `undefined` where nothing could bear that out. */
export function resumeAt(cursor: Cursor, position: bigint): Cursor | undefined {
  const { last } = cursor;
  if (last === undefined || last.offset < position) return undefined;
  return { ...cursor, position, sought: last };
}

/** A reply to a fetch from the cursor's position, which must be known. */
export function take(cursor: Cursor, { highWatermark, records }: FetchedPartition, now: Instant): Taken {
  const { position } = cursor;
  if (position === undefined) return { cursor, records: [], news: 'none' };
  // KafkaJS hands out whole batches, and what brokers write about transactions.
  const unread = records.filter(({ offset }) => offset >= position);
  const sought = soughtAfter(cursor, unread);
  const isLost = highWatermark < position || sought === 'missing' || isOfAnotherLeader(cursor, unread);
  if (isLost) return { cursor: lose(cursor), records: [], news: 'lost' };
  const last = records.at(-1);
  const next = last !== undefined && last.nextOffset > position ? last.nextOffset : position;
  const stage = cursor.stage === 'fresh' && unread.length > 0 ? 'reading' : cursor.stage;
  const read = {
    ...cursor,
    stage,
    position: next,
    epoch: unread.at(-1)?.epoch ?? cursor.epoch,
    last: markOf(unread) ?? cursor.last,
    sought,
  };
  return { ...atEnd(read, next, highWatermark, now), records: unread.filter(({ isControl }) => !isControl) };
}

/** What is sought still, once these were read; `missing` where another record stands in its place. */
function soughtAfter({ sought }: Cursor, records: readonly FetchedRecord[]): Mark | undefined | 'missing' {
  const found = sought && records.find(({ offset }) => offset >= sought.offset);
  if (sought === undefined || found === undefined) return sought;
  return isSame(sought, found) ? undefined : 'missing';
}

function isSame(mark: Mark, { offset, epoch, value }: FetchedRecord): boolean {
  return offset === mark.offset && epoch === mark.epoch && value !== null && Buffer.compare(value, mark.value) === 0;
}

/**
 * The last of the records that can be known again: one without content, or without an epoch, looks the same in another log. The content is
 * copied, as what was decoded is a view of the whole reply.
 */
function markOf(records: readonly FetchedRecord[]): Mark | undefined {
  const last = records.findLast(({ value, epoch }) => value !== null && epoch !== undefined);
  return last?.value ? { offset: last.offset, epoch: last.epoch, value: Uint8Array.from(last.value) } : undefined;
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
  // The end is reached, and what was read before is not there: its tail is lost.
  if (cursor.sought) return { cursor: lose(cursor), news: 'lost' };
  return { cursor: { ...cursor, stage: 'following', furthest: position, shortSince: undefined }, news: 'end' };
}
