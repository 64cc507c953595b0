// From replies about partitions of the topic to news about registers and wants, for one group's members.
import type { LeadershipError } from '@leadership/core';
import { type Instant, type Queue, queue } from '@leadership/core/backend';
import type { LedgerNews, Want } from '@leadership/core/ledger';
import { type Chains, chains } from './chains.ts';
import { type Cursor, newCursor, startOver, type Taken } from './cursor.ts';
import type { Farewell } from './farewell.ts';
import type { FetchedPartition, FetchedRecord } from './fetched.ts';
import type { Extent } from './pruning.ts';
import { readRecord, registersIn, textOf, topicPartitionOf } from './read-record.ts';
import type { Taking } from './reader.ts';

/** A want as it arrived. */
export type ReceivedWant = Want & { readonly receivedAt: Instant };

/** What was read of the topic, and what became of it. */
export class Intake implements Taking {
  /** Where reading stands, by partition of the topic. */
  readonly cursors: Map<number, Cursor>;
  readonly origin = 'start';
  readonly wants: Queue<ReceivedWant> = queue<ReceivedWant>();
  readonly farewells: Queue<Farewell> = queue<Farewell>();
  readonly #group: string;
  readonly #followed: (extent: Extent, chains: Chains) => void;
  readonly #chains: ReadonlyMap<number, Chains>;
  readonly #unreadable = new Set<number>();
  /** From where each partition is needed, as of when its chains were forgotten. */
  readonly #neededFrom = new Map<number, bigint>();
  #news = queue<LedgerNews>();

  /** For `group`, whose registers are 0 … `partitions` − 1 and the pin. `followed` hears of partitions that were read to their end. */
  constructor(group: string, partitions: number, followed: (extent: Extent, chains: Chains) => void) {
    this.#group = group;
    this.#followed = followed;
    this.cursors = perPartition(partitions, newCursor);
    this.#chains = perPartition(partitions, chains);
  }

  /** Reading begins anew: whoever takes these news knows that every position is lost. */
  begin(): Queue<LedgerNews> {
    this.#news = queue();
    this.#unreadable.clear();
    for (const partition of this.#chains.keys()) this.#forget(partition);
    return this.#news;
  }

  /** Every chain's current record stands at or behind this offset, and nothing before it is needed (L10). */
  neededFrom(partition: number): bigint | undefined {
    return this.#chains.get(partition)?.lowest() ?? this.#neededFrom.get(partition);
  }

  /** A reply about one partition. */
  taken({ cursor, records, news }: Taken, { partition, logStart, highWatermark }: FetchedPartition, receivedAt: Instant): void {
    const own = this.#chains.get(partition);
    if (own === undefined) return;
    if (this.#unreadable.has(partition)) this.lost(partition);
    const isFollowing = cursor.stage === 'following';
    for (const record of records) this.#take(partition, own, record, isFollowing, receivedAt);
    if (news === 'end') this.#news.push({ kind: 'end', partitions: registersIn(partition) });
    if (isFollowing) this.#followed({ partition, start: logStart, end: highWatermark }, own);
  }

  /** The position is lost: what follows is the partition from its start. */
  lost(partition: number): void {
    this.#unreadable.delete(partition);
    this.#forget(partition);
    for (const register of registersIn(partition)) this.#news.push({ kind: 'restarted', partition: register });
  }

  /**
   * The partition cannot be read just now. The pin in it stands meanwhile: it changes with the whole topic only, and who may not claim
   * without it could lead nothing at all while one broker is away. It is read again once it can be.
   */
  failed(partition: number, error: LeadershipError): void {
    this.#unreadable.add(partition);
    this.#news.push({ kind: 'unreadable', partition, error });
  }

  /** The topic is gone, and with it every record: all registers were read to their end, and there is nothing in them (L11). */
  *gone(): Generator<LedgerNews> {
    // Nor does it matter how far the old one was read.
    for (const partition of this.cursors.keys()) this.cursors.set(partition, newCursor(partition));
    const registers = [...this.cursors.keys()].flatMap(registersIn);
    for (const partition of registers) yield { kind: 'restarted', partition };
    yield { kind: 'end', partitions: registers };
  }

  /** This register is to be read again from its start (L12). */
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

  #take(partition: number, own: Chains, { value, offset, writtenMs }: FetchedRecord, isFollowing: boolean, receivedAt: Instant): void {
    const what = readRecord(partition, value);
    if (what.kind === 'ignored') return this.#news.push(what);
    if (what.kind === 'record') own.note({ record: what.record, offset, text: textOf(value), receivedAt, writtenMs });
    if (what.group !== this.#group) return;
    if (what.kind === 'record') this.#news.push({ kind: 'record', record: what.record, receivedAt });
    else if (what.kind === 'farewell') this.farewells.push(what.farewell);
    // A want that history tells of is an old one.
    else if (isFollowing) this.wants.push({ ...what.want, receivedAt });
  }
}

/** One of what `make` makes for each partition of the topic that is used. */
export function perPartition<T>(partitions: number, make: (partition: number) => T): Map<number, T> {
  return new Map(Array.from({ length: partitions }, (_, partition) => [partition, make(partition)]));
}
