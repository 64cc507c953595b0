// One partition of a topic as a log of rows, over either client.
import { LeadershipError } from '@leadership/core';
import { type Clock, type Instant, sleep } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import type { LogFetched, LogOfRows, LogRecord } from '@leadership/core/internal/rows';
import {
  type AdaptiveTimeout,
  adaptiveTimeout,
  askPatiently,
} from '../connection/adaptive-timeout.ts';
import { type ClusterConnection, openClusterConnection } from '../connection/cluster-connection.ts';
import { fetchRecords } from '../connection/fetch-records.ts';
import type { FetchedPartition, FetchedRecord } from '../connection/fetched-partition.ts';
import { hasErrorType, kafkaError } from '../errors.ts';
import { limitsOf, type MemberContext } from '../member-context.ts';
import type { MemberTopic } from './member-topic.ts';
import { readPastEmpty } from './past-empty.ts';
import { textOf } from './pin-record.ts';
import type { TopicPins } from './pins.ts';
import { Pruning } from './pruning.ts';
import { lacksNext, readAcross } from './read-across.ts';
import { type Sender, sender } from './sender.ts';

/**
 * How long an end may be below one that was read before, in milliseconds. A new leader learns the
 * high watermark from its followers within half a second (replica.fetch.wait.max.ms); until then, a
 * lower end does not mean a lost tail. This is twice that time.
 */
const shortMs = 1_000;
/** The shortest limit of an answer about leaders and ends, in milliseconds. */
const answerMsMin = 1_000;
/** The interval of fetches meanwhile, in milliseconds. */
const shortPollMs = 50;
/**
 * Bytes of a batch beside its records, and of a record beside its value, at most. A fetch begins at a
 * record that is known, and the broker waits for more bytes than those of its batch.
 */
const [batchBytes, recordBytes] = [61, 12];
/** A batch of more records is not waited for: the estimate could exceed it by a whole new batch. */
const recordsMax = 10;
/** Bytes of two records of the greatest size that brokers accept by default, and of their batches. */
const twoRecordsBytes = 2_200_000;

/** A log in one partition of a topic, with connections of its own: no other partition delays it. */
export class TopicLog implements LogOfRows {
  readonly name: string;
  readonly #topic: MemberTopic;
  readonly #context: MemberContext;
  readonly #partition: number;
  readonly #pins: TopicPins;
  readonly #closed = new AbortController();
  readonly #current = (): ClusterConnection | undefined => this.#connection;
  readonly #sender: Sender;
  readonly #timeout: AdaptiveTimeout;
  readonly #pruning: Pruning;
  #connection: ClusterConnection | undefined;
  #opening: Promise<ClusterConnection> | undefined;
  #mayCreate = false;
  /** Whether the topic is there, as far as this member knows. */
  #isPrepared = false;
  /** The greatest end that was read, and since when the end has been below it. */
  #furthest = 0n;
  #shortSince: Instant | undefined;
  /** The last record that was read, and the fewest bytes of a fetch from there that has a new one. */
  #last = { offset: -1n, minBytes: 1 };

  constructor(topic: MemberTopic, partition: number) {
    const { context } = topic;
    const { thresholdMs } = context;
    this.name = `topic ${context.topic}`;
    this.#topic = topic;
    this.#context = context;
    this.#partition = partition;
    this.#pins = partition === 0 ? topic.pinsOfReader() : topic.pins;
    this.#timeout = adaptiveTimeout(thresholdMs / 3);
    const ackMs = thresholdMs / 3;
    this.#sender = sender({ topic: context.topic, connection: this.#current, ackMs });
    this.#pruning = new Pruning(topic, partition, this.#closed.signal);
    topic.opened(this.#current);
  }

  /** Whether the topic is missing, as far as this member knows. */
  get isMissing(): boolean {
    return !this.#isPrepared;
  }

  /** Creates and checks the topic. Returns whether it is there. */
  async prepare(mayCreate: boolean, signal: AbortSignal): Promise<boolean> {
    this.#mayCreate = mayCreate;
    this.#isPrepared = await this.#topic.watch.prepare(mayCreate, signal);
    return this.#isPrepared;
  }

  async append(text: string, signal: AbortSignal): Promise<void> {
    await this.#connected();
    await this.#sender.send(this.#partition, text, signal);
  }

  async end(): Promise<number> {
    const connection = await this.#connected();
    return this.#asked(connection, async () => Number(await this.#offset(connection, 'end')));
  }

  async fetch(
    from: number | undefined,
    next: number | undefined,
    signal: AbortSignal,
  ): Promise<LogFetched> {
    // A member that is refused, or only follows, reads on: what it reads must not be created by that.
    if (!this.#isPrepared) this.#isPrepared = await this.#topic.watch.prepare(false, signal);
    const connection = await this.#connected(false);
    return this.#asked(connection, async () => {
      for (;;) {
        signal.throwIfAborted();
        const askedAt = this.#clock.now();
        const { logStart, highWatermark, records } = await this.#readOrEnds(connection, from);
        this.#context.host.confirmed();
        this.#pruning.reached(logStart);
        this.#notePins(from, { logStart, highWatermark, records });
        const isShort = this.#isShort(highWatermark);
        const [start, end] = [Number(logStart), Number(highWatermark)];
        // A broker that does not wait is not asked again at once.
        const isEarly = next === end && this.#clock.now() < after(askedAt, shortPollMs);
        if (isShort || isEarly) await sleep(this.#clock, shortPollMs, signal);
        if (!isShort) return { from, start, end, records: records.map(recordOf) };
      }
    });
  }

  #notePins(
    from: number | undefined,
    { logStart, highWatermark, records }: Omit<FetchedPartition, 'partition'>,
  ): void {
    if (this.#partition > 0) return;
    if (from === undefined) this.#pins.forget();
    for (const record of records) this.#pins.note(record, this.#clock.now());
    const next = records.at(-1)?.nextOffset ?? (from === undefined ? logStart : BigInt(from));
    if (next >= highWatermark) this.#pins.complete();
  }

  /** Returns the records from an offset on, or only the ends of a log in which it is not. */
  async #readOrEnds(
    connection: ClusterConnection,
    from: number | undefined,
  ): Promise<FetchedPartition> {
    const position = from === undefined ? await this.#offset(connection, 'start') : BigInt(from);
    const read = await this.#read(connection, position);
    // Where compaction has left no record, the log begins at its end.
    if (read?.records.length === 0 && read.highWatermark > position)
      return { ...read, logStart: read.highWatermark };
    if (read !== undefined) return read;
    const logStart = await this.#offset(connection, 'start');
    const highWatermark = await this.#offset(connection, 'end');
    return { partition: this.#partition, logStart, highWatermark, records: [] };
  }

  /**
   * Removes old records. The pins among them are appended again before. While they are not all known,
   * nothing is removed: a later copy is followed by another cut.
   */
  async cut(below: number): Promise<void> {
    const { warnings } = this.#topic;
    const { signal } = this.#closed;
    const pins = this.#pins;
    if (!pins.isComplete) return;
    const { earlierGroup } = pins;
    const append = (text: string): Promise<void> => this.append(text, signal);
    await this.#pruning.cut(BigInt(below), async (offset) => {
      if (this.#partition === 0 && !(await pins.carryUp(offset, append, signal))) return false;
      if (earlierGroup === undefined) warnings.mend('earlier');
      else warnings.raise('earlier', this.#keeps(earlierGroup));
      return earlierGroup === undefined;
    });
  }

  /**
   * Resolves once the group has a pin that agrees (R3). It is a record of partition 0, whose reader writes
   * it.
   */
  agree(signal: AbortSignal): Promise<void> {
    const append = (text: string): Promise<void> => this.append(text, signal);
    return this.#pins.agree(this.#partition === 0 ? append : undefined, signal);
  }

  /** Throws if the pins that are known refuse this member. */
  checkPins(): void {
    this.#pins.check();
  }

  #keeps(group: string): LeadershipError {
    const sentence = `${this.name}: group "${group}" of an earlier release needs its old records, so none is removed, and it grows: give this group another topic`;
    return new LeadershipError('misconfigured-backend', sentence);
  }

  close(): void {
    this.#closed.abort();
    this.#connection?.close();
    this.#topic.closed(this.#current);
  }

  get #clock(): Clock {
    return this.#context.clock;
  }

  /** Returns the connection, or opens one. `mayCreate`: and creates the topic, if this member may. */
  async #connected(mayCreate: boolean = this.#mayCreate): Promise<ClusterConnection> {
    if (this.#connection?.signal.aborted === false) return this.#connection;
    if (!this.#isPrepared && !mayCreate) throw this.#missing();
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<ClusterConnection> {
    const { signal } = this.#closed;
    if (!this.#isPrepared && !(await this.prepare(this.#mayCreate, signal))) throw this.#missing();
    const options = { ...this.#context, ...limitsOf(this.#context) };
    const connection = await openClusterConnection(options, signal);
    this.#connection = connection;
    const { partitions: there } = connection;
    const { shards } = this.#topic;
    if (there >= shards) return connection;
    connection.close();
    const { partitions } = this.#context;
    const sentence = `${this.name}: it has ${there} partitions, and a group with partitions ${partitions} uses ${shards} of them: add some to the topic`;
    throw new LeadershipError('misconfigured-backend', sentence);
  }

  #missing(): LeadershipError {
    return new LeadershipError('unreachable', `${this.name}: there is no such topic, or not yet`);
  }

  /** Sends requests. After a failure the leaders are requested again. */
  async #asked<T>(connection: ClusterConnection, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      await this.#recover(connection, error);
      throw kafkaError(error, `${this.name}, partition ${this.#partition}`);
    }
  }

  async #recover(connection: ClusterConnection, error: unknown): Promise<void> {
    const isUnknown = hasErrorType(error, 'UNKNOWN_TOPIC_OR_PARTITION');
    // A restarted broker may not have the current metadata yet, so the other brokers must confirm.
    if (isUnknown && (await connection.isGone(this.#context.thresholdMs / 3))) {
      this.#isPrepared = false;
      return connection.close();
    }
    await connection.refresh(this.#answerMs).catch(() => connection.close());
  }

  async #offset(connection: ClusterConnection, which: 'start' | 'end'): Promise<bigint> {
    const asked = connection.offsetsOf([this.#partition], which);
    return (await connection.withTimeout(asked, this.#answerMs)).get(this.#partition) ?? 0n;
  }

  /** Returns the records from a position on; `undefined` if it is not in the log. */
  async #read(
    connection: ClusterConnection,
    position: bigint,
  ): Promise<FetchedPartition | undefined> {
    const fetch = (from: bigint): Promise<FetchedPartition | undefined> =>
      readPastEmpty((at) => this.#fetch(connection, at), from);
    const read = await fetch(position);
    if (!lacksNext(read)) return read;
    const larger = await this.#fetch(connection, position, twoRecordsBytes);
    if (!lacksNext(larger)) return larger;
    const leader = (): number | undefined => connection.leaderOf(this.#partition);
    return readAcross({ leader, fetch }, position, larger);
  }

  async #fetch(
    connection: ClusterConnection,
    position: bigint,
    partitionBytes?: number,
  ): Promise<FetchedPartition | undefined> {
    const partition = this.#partition;
    const node = connection.leaderOf(partition) ?? -1;
    if (node < 0)
      throw new LeadershipError(
        'unreachable',
        `${this.name}, partition ${partition}: no broker leads it at the moment`,
      );
    const waitMs = this.#waitMs;
    const [reply] = await askPatiently(this.#clock, this.#timeout, waitMs, (limitMs) =>
      fetchRecords(connection, node, [{ partition, position }], {
        clock: this.#clock,
        waitMs,
        limitMs,
        ...(position === this.#last.offset && { minBytes: this.#last.minBytes }),
        ...(partitionBytes !== undefined && { partitionBytes }),
      }),
    );
    if (reply === undefined || reply.kind === 'out-of-range') return undefined;
    if (reply.kind === 'failed') throw reply.error;
    this.#noteLast(reply.fetched.records);
    // Brokers return whole batches.
    const records = reply.fetched.records.filter(({ offset }) => offset >= position);
    return { ...reply.fetched, records };
  }

  /** Notes the bytes of the batch of the last record. */
  #noteLast(records: readonly FetchedRecord[]): void {
    const last = records.at(-1);
    if (last === undefined) return;
    const batch = records.filter(({ nextOffset }) => nextOffset === last.nextOffset);
    const values = batch.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    const bytes = values + batchBytes + recordBytes * Math.min(batch.length, recordsMax);
    this.#last = { offset: last.offset, minBytes: bytes + 1 };
  }

  /**
   * How long an answer may take that reading waits for. A broker that hangs, or is being shut down, may
   * be the one that is asked: another one must answer before a lease ends.
   */
  get #answerMs(): number {
    return Math.max(answerMsMin, this.#context.thresholdMs / 3);
  }

  /** The wait at the broker. It and the limit beyond it are shorter than a lease together. */
  get #waitMs(): number {
    return this.#shortSince === undefined ? this.#context.thresholdMs / 3 : 0;
  }

  /** Returns whether a new leader may not know its end yet. */
  #isShort(end: bigint): boolean {
    const now = this.#clock.now();
    if (end < this.#furthest) {
      this.#shortSince ??= now;
      if (now < after(this.#shortSince, shortMs)) return true;
    }
    this.#shortSince = undefined;
    this.#furthest = end;
    return false;
  }
}

function recordOf({ offset, epoch = -1, value, isControl }: FetchedRecord): LogRecord {
  const isEntry = value !== null && !isControl;
  return { offset: Number(offset), epoch, text: isEntry ? textOf(value) : undefined };
}
