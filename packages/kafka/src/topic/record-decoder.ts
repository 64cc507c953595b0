// Turns fetched records into the news of one group's registers, lease requests and leave notices.
import type { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { type AsyncQueue, asyncQueue } from '@leadership/core/internal/engine';
import type { LeaseRequest, LedgerEvent } from '@leadership/core/internal/lease';
import type { FetchedPartition, FetchedRecord } from '../connection/fetched-partition.ts';
import { type Chains, chains } from './chains.ts';
import { type Cursor, newCursor, startOver, type Taken } from './cursor.ts';
import type { LeaveNotice } from './leave-notice.ts';
import type { Extent } from './pruning.ts';
import type { RecordReceiver } from './reader.ts';
import { parseRecord, registersIn, textOf, topicPartitionOf } from './record-format.ts';

/** A lease request with its time of arrival. */
export type ReceivedLeaseRequest = LeaseRequest & { readonly receivedAt: Instant };

/** Collects the ledger's news from the records that are read. */
export class RecordDecoder implements RecordReceiver {
  /** The reader's position in each partition of the topic. */
  readonly cursors: Map<number, Cursor>;
  readonly origin = 'start';
  readonly leaseRequests: AsyncQueue<ReceivedLeaseRequest> = asyncQueue<ReceivedLeaseRequest>();
  readonly leaveNotices: AsyncQueue<LeaveNotice> = asyncQueue<LeaveNotice>();
  readonly #group: string;
  readonly #followed: (extent: Extent, chains: Chains) => void;
  readonly #chains: ReadonlyMap<number, Chains>;
  readonly #unreadable = new Set<number>();
  /** The lowest needed offset of each partition, at the time when its chains were forgotten. */
  readonly #neededFrom = new Map<number, bigint>();
  #events = asyncQueue<LedgerEvent>();

  /**
   * The registers of `group` are 0 … `partitions` − 1 and the pin. `followed` is called for each
   * partition that was read to its end.
   */
  constructor(
    group: string,
    partitions: number,
    followed: (extent: Extent, chains: Chains) => void,
  ) {
    this.#group = group;
    this.#followed = followed;
    this.cursors = perPartition(partitions, newCursor);
    this.#chains = perPartition(partitions, chains);
  }

  /** Starts reading again. A new queue means that every position was lost. */
  begin(): AsyncQueue<LedgerEvent> {
    this.#events = asyncQueue();
    this.#unreadable.clear();
    for (const partition of this.#chains.keys()) this.#forget(partition);
    return this.#events;
  }

  /**
   * Returns the lowest offset of a current record of any chain. Earlier records are not needed
   * (L10).
   */
  neededFrom(partition: number): bigint | undefined {
    return this.#chains.get(partition)?.lowest() ?? this.#neededFrom.get(partition);
  }

  /** Takes a reply for one partition. */
  taken(
    { cursor, records, update }: Taken,
    { partition, logStart, highWatermark }: FetchedPartition,
    receivedAt: Instant,
  ): void {
    const own = this.#chains.get(partition);
    if (own === undefined) return;
    if (this.#unreadable.has(partition)) this.lost(partition);
    const isFollowing = cursor.stage === 'following';
    for (const record of records) this.#take(partition, own, record, isFollowing, receivedAt);
    if (update === 'end') this.#events.push({ kind: 'end', partitions: registersIn(partition) });
    if (isFollowing) this.#followed({ partition, start: logStart, end: highWatermark }, own);
  }

  /** Drops a partition's chains. Its next records come from the start. */
  lost(partition: number): void {
    this.#unreadable.delete(partition);
    this.#forget(partition);
    for (const register of registersIn(partition))
      this.#events.push({ kind: 'restarted', partition: register });
  }

  /**
   * Reports that the partition cannot be read now. Its pin stays valid, because the pin changes
   * only with the whole topic: otherwise the failure of one broker would keep this member from
   * every claim. The partition is read again as soon as possible.
   */
  failed(partition: number, error: LeadershipError): void {
    this.#unreadable.add(partition);
    this.#events.push({ kind: 'unreadable', partition, error });
  }

  /** Yields the news of a deleted topic: every register was read to its end and is empty (L11). */
  *gone(): Generator<LedgerEvent> {
    // Positions in the old topic mean nothing in the next one.
    for (const partition of this.cursors.keys()) this.cursors.set(partition, newCursor(partition));
    yield* this.restarted();
    yield { kind: 'end', partitions: this.#registers() };
  }

  /** Yields that every register is read from its start. */
  *restarted(): Generator<LedgerEvent> {
    for (const partition of this.#registers()) yield { kind: 'restarted', partition };
  }

  #registers(): readonly number[] {
    return [...this.cursors.keys()].flatMap(registersIn);
  }

  /** Reads this register again from its start (L12). */
  reread(register: number): void {
    const partition = topicPartitionOf(register);
    const cursor = this.cursors.get(partition);
    if (cursor === undefined) return;
    this.cursors.set(partition, startOver(cursor));
    this.lost(partition);
  }

  #forget(partition: number): void {
    const chains = this.#chains.get(partition);
    const lowest = chains?.lowest();
    if (lowest !== undefined) this.#neededFrom.set(partition, lowest);
    chains?.forget();
  }

  #take(
    partition: number,
    own: Chains,
    { value, offset, writtenMs }: FetchedRecord,
    isFollowing: boolean,
    receivedAt: Instant,
  ): void {
    const what = parseRecord(partition, value);
    if (what.kind === 'ignored') return this.#events.push(what);
    if (what.kind === 'record')
      own.note({ record: what.record, offset, text: textOf(value), receivedAt, writtenMs });
    if (what.group !== this.#group) return;
    if (what.kind === 'record')
      this.#events.push({ kind: 'record', record: what.record, receivedAt });
    else if (what.kind === 'leave-notice') this.leaveNotices.push(what.notice);
    // Lease requests in the history are out of date.
    else if (isFollowing) this.leaseRequests.push({ ...what.request, receivedAt });
  }
}

/** Returns a map from each used partition of the topic to the result of `make`. */
export function perPartition<T>(
  partitions: number,
  make: (partition: number) => T,
): Map<number, T> {
  return new Map(
    Array.from({ length: partitions }, (_, partition) => [partition, make(partition)]),
  );
}
