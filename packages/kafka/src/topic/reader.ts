// Reads the topic for one member, from the brokers that lead its partitions: one long poll per
// broker, each partition from its cursor's position. A failure of one broker affects only its
// partitions. When no broker answers, reading ends, and the caller starts it again.
import { LeadershipError } from '@leadership/core';
import { type Clock, type Instant, sleep } from '@leadership/core/adapter';
import { asyncQueue } from '@leadership/core/internal/engine';
import { type AdaptiveTimeout, askPatiently } from '../connection/adaptive-timeout.ts';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { type Fetched, fetchRecords } from '../connection/fetch-records.ts';
import type { FetchedPartition } from '../connection/fetched-partition.ts';
import type { FetchFrom } from '../connection/log-client.ts';
import { hasErrorType, kafkaError } from '../errors.ts';
import { type Cursor, lose, startAt, type Taken, take } from './cursor.ts';

/** Receives what the reader reads. */
export interface RecordReceiver {
  /** The reader's position in each partition of the topic. The reader updates them. */
  readonly cursors: Map<number, Cursor>;
  /** Called with the content of a reply for one partition. */
  taken(taken: Taken, fetched: FetchedPartition, receivedAt: Instant): void;
  /** Called when the position in a partition was lost. */
  lost(partition: number): void;
  /**
   * Called when a partition cannot be read. Its position is lost; reading of the others continues.
   */
  failed(partition: number, error: LeadershipError): void;
}

/** Options of {@link read}. */
export interface ReaderOptions {
  readonly connection: ClusterConnection;
  readonly topic: string;
  readonly clock: Clock;
  /** How long a broker may wait for new records, in milliseconds. */
  readonly waitMs: number;
  /** How long an answer may take beyond `waitMs`, in milliseconds. */
  readonly limitMs: number;
  /** Extends the limit after late answers. */
  readonly timeout: AdaptiveTimeout;
  readonly receiver: RecordReceiver;
  /** Called after each answer of a broker. */
  readonly answered: () => void;
}

/** The end of polling one broker. Without an error, the broker leads no partition any longer. */
interface Ended {
  readonly error?: unknown;
  /** Whether the broker answered at least once. */
  readonly served: boolean;
  /** No poll ended: this entry only requests a refresh of the metadata. */
  readonly isCheck?: true;
}

/** The first and the longest pause before the metadata are refreshed, in milliseconds. */
const checkMs = 50;
const lookMsMax = 500;
/** The poll interval while the end is below an offset that was read before, in milliseconds. */
const shortPollMs = 50;

/** Reads until the connection is closed. Rejects if no broker is left to read from. */
export async function read(options: ReaderOptions): Promise<void> {
  const { connection, clock } = options;
  const { cursors } = options.receiver;
  const ends = asyncQueue<Ended>();
  const polled = new Set<number>();
  const leaderless = new Set<number>();
  let isLooking = false;
  const pollAll = (): void => {
    reportLeaderless(options, leaderless);
    for (const node of leadersIn(options)) {
      if (polled.has(node)) continue;
      polled.add(node);
      void poll(options, node).then((ended) => {
        polled.delete(node);
        ends.push(ended);
      });
    }
    // No poll reports the election of a leader for the other partitions: only the metadata do.
    if (isLooking || (polled.size > 0 && leaderless.size === 0)) return;
    isLooking = true;
    ends.push({ served: false, isCheck: true });
  };
  let waitMs = checkMs;
  try {
    pollAll();
    for await (const { error, served, isCheck } of ends.drain(connection.signal)) {
      if (isCheck) isLooking = false;
      if (await isEnd(options, error, polled.size)) throw error;
      waitMs = served ? checkMs : Math.min(2 * waitMs, lookMsMax);
      await sleep(clock, waitMs, connection.signal);
      await connection.refresh().catch(() => undefined);
      pollAll();
    }
  } finally {
    connection.close();
    for (const cursor of cursors.values()) cursors.set(cursor.partition, lose(cursor));
  }
}

/**
 * Returns whether reading must end: the topic was deleted, the right to read is missing, or the
 * last broker failed.
 */
async function isEnd(
  { connection, limitMs }: ReaderOptions,
  error: unknown,
  others: number,
): Promise<boolean> {
  // A restarted broker may not have the current metadata yet, so the other brokers must confirm.
  if (hasErrorType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return connection.isGone(limitMs);
  // Rights apply to the whole topic: the other brokers would refuse it too.
  if (hasErrorType(error, 'TOPIC_AUTHORIZATION_FAILED')) return true;
  return error !== undefined && others === 0 && !(error instanceof Refused);
}

/** A working broker refused a partition, because it no longer leads it. */
class Refused extends Error {
  constructor(cause: unknown) {
    super('a broker does not serve a partition', { cause });
  }
}

/**
 * Polls one broker for the partitions that it leads, until it fails or leads none. Never rejects.
 */
async function poll(options: ReaderOptions, node: number): Promise<Ended> {
  const { connection } = options;
  let served = false;
  try {
    for (
      let own = ledBy(options, node);
      own.length > 0 && !connection.signal.aborted;
      own = ledBy(options, node)
    ) {
      await ask(options, node, own);
      served = true;
    }
    return { served };
  } catch (error) {
    if (error instanceof Refused || connection.signal.aborted) return { error, served };
    const partitions = ledBy(options, node).map(({ partition }) => partition);
    failAll(options, partitions, (where) => kafkaError(error, where));
    return { error, served };
  }
}

async function ask(options: ReaderOptions, node: number, own: readonly Cursor[]): Promise<void> {
  const replies = await fetchFrom(options, node, own);
  options.answered();
  const refused = replies.filter((reply) => reply.kind === 'failed');
  for (const reply of replies) if (reply.kind !== 'failed') handle(options, reply);
  for (const alike of grouped(refused, ({ error }) => String(error))) {
    const partitions = alike.map(({ partition }) => partition);
    failAll(options, partitions, (where) => kafkaError(alike[0]?.error, where));
  }
  if (refused[0]) throw new Refused(refused[0].error);
}

async function fetchFrom(
  options: ReaderOptions,
  node: number,
  own: readonly Cursor[],
): Promise<readonly Fetched[]> {
  const { connection, clock, timeout } = options;
  const { cursors } = options.receiver;
  const from = await positionsOf(options, own);
  const waitMs = waitMsOf(own, options.waitMs);
  const replies = await askPatiently(clock, timeout, waitMs, (limitMs) =>
    fetchRecords(connection, node, from, { clock, waitMs, limitMs }),
  );
  const asked = new Map(from.map(({ partition, position }) => [partition, position]));
  // A position may have moved meanwhile, through a fetch from another broker: this late reply does
  // not match it.
  return replies.filter(
    ({ partition }) => cursors.get(partition)?.position === asked.get(partition),
  );
}

/**
 * Returns the offset at which each partition is read. A cursor without a position starts at the end.
 * One request returns the ends of all such partitions.
 */
async function positionsOf(
  { connection, receiver: { cursors } }: ReaderOptions,
  own: readonly Cursor[],
): Promise<readonly FetchFrom[]> {
  const placeless = own
    .filter(({ position }) => position === undefined)
    .map(({ partition }) => partition);
  const ends =
    placeless.length > 0 ? await connection.offsetsOf(placeless, 'end') : new Map<number, bigint>();
  return own.map((cursor) => {
    const { partition, position = ends.get(partition) ?? 0n } = cursor;
    if (cursor.position === undefined) cursors.set(partition, startAt(cursor, position));
    return { partition, position };
  });
}

/**
 * A broker without new records waits before it answers. The reader cannot afford that wait before
 * it has reached the end.
 */
function waitMsOf(cursors: readonly Cursor[], waitMs: number): number {
  if (cursors.every(({ stage }) => stage === 'following')) return waitMs;
  return cursors.some(({ shortSince }) => shortSince !== undefined)
    ? Math.min(waitMs, shortPollMs)
    : 0;
}

function handle(
  options: ReaderOptions,
  reply: Exclude<Fetched, { readonly kind: 'failed' }>,
): void {
  const { receiver } = options;
  const { cursors } = receiver;
  const cursor = cursors.get(reply.partition);
  if (cursor === undefined) return;
  if (reply.kind === 'out-of-range') return forget(options, reply.partition);
  const now = take(cursor, reply.fetched, reply.receivedAt);
  if (now.update === 'lost') return forget(options, reply.partition);
  cursors.set(reply.partition, now.cursor);
  receiver.taken(now, reply.fetched, reply.receivedAt);
}

/** Drops a position that is no longer valid. */
function forget({ receiver }: ReaderOptions, partition: number): void {
  const cursor = receiver.cursors.get(partition);
  if (cursor === undefined) return;
  receiver.cursors.set(partition, lose(cursor));
  if (cursor.stage !== 'fresh') receiver.lost(partition);
}

/**
 * Reports that these partitions cannot be read, with one error for all of them: the engine reports
 * an error that several partitions share once.
 */
function failAll(
  { receiver, topic }: ReaderOptions,
  partitions: readonly number[],
  errorAt: (where: string) => LeadershipError,
): void {
  const failed = partitions.flatMap((partition) => receiver.cursors.get(partition) ?? []);
  if (failed[0] === undefined) return;
  const error = errorAt(
    `topic ${topic}, ${failed.length === 1 ? `partition ${failed[0].partition}` : `${failed.length} partitions`}`,
  );
  for (const cursor of failed) {
    receiver.cursors.set(cursor.partition, lose(cursor));
    receiver.failed(cursor.partition, error);
  }
}

/** Reports once per partition that no broker leads it, because no poll would report that. */
function reportLeaderless(options: ReaderOptions, reported: Set<number>): void {
  const { connection } = options;
  if (connection.signal.aborted) return;
  const isLed = (partition: number): boolean => (connection.leaderOf(partition) ?? -1) >= 0;
  for (const partition of reported) if (isLed(partition)) reported.delete(partition);
  const leaderless = [...options.receiver.cursors.keys()].filter(
    (partition) => !isLed(partition) && !reported.has(partition),
  );
  for (const partition of leaderless) reported.add(partition);
  failAll(
    options,
    leaderless,
    (where) => new LeadershipError('unreachable', `${where}: no broker leads it at the moment`),
  );
}

function ledBy({ connection, receiver }: ReaderOptions, node: number): readonly Cursor[] {
  return [...receiver.cursors.values()].filter(
    ({ partition }) => connection.leaderOf(partition) === node,
  );
}

function leadersIn({ connection, receiver }: ReaderOptions): ReadonlySet<number> {
  const leaders = [...receiver.cursors.keys()].map(
    (partition) => connection.leaderOf(partition) ?? -1,
  );
  return new Set(leaders.filter((leader) => leader >= 0));
}

/** Returns the items grouped by a key. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}
