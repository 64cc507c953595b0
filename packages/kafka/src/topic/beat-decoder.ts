// Turns fetched records into beats, the signs of life of leaders with the guarantee `continuous`
// (I1). Reading starts at the end, because older beats are never needed.
import type { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { type AsyncQueue, asyncQueue, type HealthReporter } from '@leadership/core/internal/engine';
import { type BeatEvent, parseBeat } from '@leadership/induction';
import type { FetchedPartition, FetchedRecord } from '../connection/fetched-partition.ts';
import type { ContinuousPin } from './continuous-pin.ts';
import { type Cursor, newCursor, type Taken } from './cursor.ts';
import type { Notes } from './notes.ts';
import type { RecordReceiver } from './reader.ts';

/** Collects the beats that are read from the topic. */
export class BeatDecoder implements RecordReceiver {
  readonly cursors: Map<number, Cursor>;
  readonly #troubles: HealthReporter;
  readonly #pin: ContinuousPin | undefined;
  readonly #notes: Notes | undefined;
  readonly #lost = new Set<number>();
  #events = asyncQueue<BeatEvent>();

  /** `pin` and `notes` take the records of partition 0 that are not beats. */
  constructor(partitions: number, troubles: HealthReporter, pin?: ContinuousPin, notes?: Notes) {
    this.#pin = pin;
    this.#notes = notes;
    this.cursors = new Map(
      Array.from({ length: partitions }, (_, partition) => [partition, newCursor(partition)]),
    );
    this.#troubles = troubles;
  }

  /** Starts reading again. A new queue means that beats may have been missed. */
  begin(): AsyncQueue<BeatEvent> {
    this.#events = asyncQueue();
    this.#lost.clear();
    // A reader that starts at the end has no use for the position of an earlier end.
    for (const partition of this.cursors.keys()) this.cursors.set(partition, newCursor(partition));
    return this.#events;
  }

  /** Returns the news of a topic that does not exist yet: no partition has beats. */
  missing(): BeatEvent {
    return { kind: 'listening', partitions: [...this.cursors.keys()] };
  }

  taken(
    { records, update }: Taken,
    { partition, highWatermark }: FetchedPartition,
    receivedAt: Instant,
  ): void {
    if (this.#lost.delete(partition)) this.#events.push({ kind: 'restarted', partition });
    this.#troubles.mend(`partition ${partition}`);
    const pin = partition === 0 ? this.#pin : undefined;
    for (const record of records) {
      const isOther = pin?.take(record, receivedAt) === true;
      if (!isOther) this.#take(partition, record, receivedAt);
    }
    pin?.look(highWatermark);
    if (update === 'end' && partition === 0) this.#notes?.listening();
    if (update === 'end') this.#events.push({ kind: 'listening', partitions: [partition] });
  }

  #take(partition: number, record: FetchedRecord, receivedAt: Instant): void {
    const text = record.value === null ? undefined : Buffer.from(record.value).toString('utf8');
    const isNote =
      partition === 0 && text !== undefined && this.#notes?.take(text, receivedAt) === true;
    if (!isNote) this.#events.push(eventIn(partition, text, record, receivedAt));
  }

  lost(partition: number): void {
    this.cursors.set(partition, newCursor(partition));
    this.#lost.add(partition);
  }

  failed(partition: number, error: LeadershipError): void {
    this.lost(partition);
    this.#troubles.raise(`partition ${partition}`, error);
  }
}

function eventIn(
  partition: number,
  text: string | undefined,
  { stampedMs }: FetchedRecord,
  receivedAt: Instant,
): BeatEvent {
  const beat = text === undefined ? undefined : parseBeat(text);
  if (beat === undefined) return { kind: 'ignored', what: 'a record that is not a beat' };
  if (beat.partition !== partition)
    return { kind: 'ignored', what: 'a beat in another partition than its own' };
  return { kind: 'beat', beat, receivedAt, ...(stampedMs !== undefined && { stampedMs }) };
}
