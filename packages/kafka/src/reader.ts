// Reads the topic from the brokers that lead its partitions: one long poll per broker, each
// partition from its cursor's position. A failure of one broker affects only its partitions. When
// no broker answers, reading ends, and the caller starts it again.
import { LeadershipError } from '@leadership/core';
import { type Clock, type Instant, pause, queue } from '@leadership/core/backend';
import { type Cursor, lose, resumeAt, startAt, startOver, type Taken, take } from './cursor.ts';
import { isSaid, kafkaError } from './errors.ts';
import { type Fetched, type FetchOptions, fetch } from './fetch.ts';
import type { FetchedPartition } from './fetched.ts';
import type { Link } from './link.ts';
import type { FetchFrom } from './log-port.ts';
import type { Patience } from './patience.ts';
import { Unanswered } from './timely.ts';

/** Receives what the reader reads. */
export interface Taking {
  /** The reader's position in each partition of the topic. The reader updates them. */
  readonly cursors: Map<number, Cursor>;
  /** Where reading starts, and starts again after a position was lost. */
  readonly origin: 'start' | 'end';
  /**
   * Returns the lowest offset that is still needed of a partition whose position was lost, if
   * known. Reading resumes there if it can.
   */
  neededFrom?(partition: number): bigint | undefined;
  /** Called with the content of a reply for one partition. */
  taken(taken: Taken, fetched: FetchedPartition, receivedAt: Instant): void;
  /** Called when the position in a partition was lost. */
  lost(partition: number): void;
  /** Called when a partition cannot be read. Its position is lost; reading of the others continues. */
  failed(partition: number, error: LeadershipError): void;
}

/** Options of {@link read}. */
export interface ReaderOptions {
  readonly link: Link;
  readonly topic: string;
  readonly clock: Clock;
  /** How long a broker may wait for new records, in milliseconds. */
  readonly waitMs: number;
  /** How long an answer may take beyond `waitMs`, in milliseconds. */
  readonly limitMs: number;
  /** Extends the limit after late answers. Default: no extension. */
  readonly patience?: Patience;
  readonly taking: Taking;
  /** Called after each answer of a broker. */
  readonly answered: () => void;
}

/** The end of polling one broker. Without an error, the broker leads no partition any longer. */
interface Ended {
  readonly error?: unknown;
  /** Whether the broker answered at least once. */
  readonly served: boolean;
  /** No poll ended: this entry only requests a refresh of the metadata. */
  readonly isLook?: true;
}

/** The first and the longest pause before the metadata are refreshed, in milliseconds. */
const lookMs = 50;
const lookMsMax = 500;
/** The poll interval while the end is below an offset that was read before, in milliseconds. */
const shortPollMs = 50;

/** Reads until the link is closed. Rejects if no broker is left to read from. */
export async function read(options: ReaderOptions): Promise<void> {
  const { link, clock } = options;
  const { cursors } = options.taking;
  const ends = queue<Ended>();
  const polled = new Set<number>();
  const leaderless = new Set<number>();
  let isLooking = false;
  const pollAll = (): void => {
    tellLeaderless(options, leaderless);
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
    ends.push({ served: false, isLook: true });
  };
  let waitMs = lookMs;
  try {
    pollAll();
    for await (const { error, served, isLook } of ends.drain(link.signal)) {
      if (isLook) isLooking = false;
      if (await isEnd(options, error, polled.size)) throw error;
      waitMs = served ? lookMs : Math.min(2 * waitMs, lookMsMax);
      await pause(clock, waitMs, link.signal);
      await link.refresh().catch(() => undefined);
      pollAll();
    }
  } finally {
    link.hangUp();
    for (const cursor of cursors.values()) cursors.set(cursor.partition, lose(cursor));
  }
}

/**
 * Returns whether reading must end: the topic was deleted, the right to read is missing, or the
 * last broker failed.
 */
async function isEnd({ link, limitMs }: ReaderOptions, error: unknown, others: number): Promise<boolean> {
  // A restarted broker may not have the current metadata yet, so the other brokers must confirm.
  if (isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return link.isGone(limitMs);
  // Rights apply to the whole topic: the other brokers would refuse it too.
  if (isSaid(error, 'TOPIC_AUTHORIZATION_FAILED')) return true;
  return error !== undefined && others === 0 && !(error instanceof Refused);
}

/** A working broker refused a partition, because it no longer leads it. */
class Refused extends Error {
  constructor(cause: unknown) {
    super('a broker does not serve a partition', { cause });
  }
}

/** Polls one broker for the partitions that it leads, until it fails or leads none. Never rejects. */
async function poll(options: ReaderOptions, node: number): Promise<Ended> {
  const { link } = options;
  let served = false;
  try {
    for (let own = ledBy(options, node); own.length > 0 && !link.signal.aborted; own = ledBy(options, node)) {
      await ask(options, node, own);
      served = true;
    }
    return { served };
  } catch (error) {
    if (error instanceof Refused || link.signal.aborted) return { error, served };
    for (const { partition } of ledBy(options, node)) fail(options, partition, error);
    return { error, served };
  }
}

async function ask(options: ReaderOptions, node: number, own: readonly Cursor[]): Promise<void> {
  const replies = await fetchFrom(options, node, own);
  options.answered();
  for (const reply of replies) handle(options, reply);
  const refused = replies.find((reply) => reply.kind === 'failed');
  if (refused) throw new Refused(refused.error);
}

async function fetchFrom(options: ReaderOptions, node: number, own: readonly Cursor[]): Promise<readonly Fetched[]> {
  const { link } = options;
  const { cursors } = options.taking;
  const from = await positionsOf(options, own);
  const replies = await patiently(options, waitMsOf(own, options.waitMs), (patient) => fetch(link, node, from, patient));
  const asked = new Map(from.map(({ partition, position }) => [partition, position]));
  // A position may have moved meanwhile, through a fetch from another broker: this late reply does not match it.
  return replies.filter(({ partition }) => cursors.get(partition)?.position === asked.get(partition));
}

/** Sends a request with the current limit, and adapts the limit to the time that the answer took. */
async function patiently<T>(options: ReaderOptions, waitMs: number, ask: (options: FetchOptions) => Promise<T>): Promise<T> {
  const { clock, patience, limitMs } = options;
  const askedAt = clock.now();
  try {
    const answer = await ask({ clock, waitMs, limitMs: patience?.limitMs() ?? limitMs });
    patience?.answered(clock.now() - askedAt - waitMs);
    return answer;
  } catch (error) {
    if (error instanceof Unanswered) patience?.unanswered();
    throw error;
  }
}

/**
 * Returns the offset at which each partition is read. A cursor without a position resumes at the
 * lowest offset that the caller needs (L11), or else starts at the origin. One request returns the
 * origins of all such partitions.
 */
async function positionsOf({ link, taking }: ReaderOptions, own: readonly Cursor[]): Promise<readonly FetchFrom[]> {
  const { cursors, origin } = taking;
  const places = own.map((cursor) => (cursor.position === undefined ? resumed(taking, cursor) : cursor));
  const placeless = places.filter(({ position }) => position === undefined).map(({ partition }) => partition);
  const origins = placeless.length > 0 ? await link.offsetsOf(placeless, origin) : new Map<number, bigint>();
  return places.map((place, index) => {
    const { partition, position = origins.get(partition) ?? 0n } = place;
    if (place !== own[index] || place.position === undefined) cursors.set(partition, startAt(place, position));
    return { partition, position };
  });
}

function resumed(taking: Taking, cursor: Cursor): Cursor {
  const from = taking.neededFrom?.(cursor.partition);
  return (from !== undefined && resumeAt(cursor, from)) || cursor;
}

/**
 * A broker without new records waits before it answers. The reader cannot afford that wait before
 * it has reached the end.
 */
function waitMsOf(cursors: readonly Cursor[], waitMs: number): number {
  if (cursors.every(({ stage }) => stage === 'following')) return waitMs;
  return cursors.some(({ shortSince }) => shortSince !== undefined) ? Math.min(waitMs, shortPollMs) : 0;
}

function handle(options: ReaderOptions, reply: Fetched): void {
  const { taking } = options;
  const { cursors } = taking;
  const cursor = cursors.get(reply.partition);
  if (cursor === undefined) return;
  if (reply.kind === 'failed') return fail(options, reply.partition, reply.error);
  if (reply.kind === 'out-of-range') return forget(options, reply.partition);
  const now = take(cursor, reply.fetched, reply.receivedAt);
  if (now.news === 'lost') return forget(options, reply.partition);
  cursors.set(reply.partition, now.cursor);
  taking.taken(now, reply.fetched, reply.receivedAt);
}

/** Drops a position that is no longer valid (L11). */
function forget({ taking }: ReaderOptions, partition: number): void {
  const cursor = taking.cursors.get(partition);
  if (cursor === undefined) return;
  // If the record read last was not found again, the earlier reads prove nothing.
  taking.cursors.set(partition, cursor.sought ? startOver(cursor) : lose(cursor));
  if (cursor.stage !== 'fresh') taking.lost(partition);
}

function fail({ taking, topic }: ReaderOptions, partition: number, error: unknown): void {
  const cursor = taking.cursors.get(partition);
  if (cursor === undefined) return;
  taking.cursors.set(partition, lose(cursor));
  taking.failed(partition, kafkaError(error, `topic ${topic}, partition ${partition}`));
}

/** Reports once per partition that no broker leads it, because no poll would report that. */
function tellLeaderless(options: ReaderOptions, told: Set<number>): void {
  const { link, topic } = options;
  if (link.signal.aborted) return;
  for (const partition of options.taking.cursors.keys()) {
    if ((link.leaderOf(partition) ?? -1) >= 0) told.delete(partition);
    else if (!told.has(partition)) {
      told.add(partition);
      fail(options, partition, new LeadershipError('unreachable', `topic ${topic}, partition ${partition}: no broker leads it just now`));
    }
  }
}

function ledBy({ link, taking }: ReaderOptions, node: number): readonly Cursor[] {
  return [...taking.cursors.values()].filter(({ partition }) => link.leaderOf(partition) === node);
}

function leadersIn({ link, taking }: ReaderOptions): ReadonlySet<number> {
  const leaders = [...taking.cursors.keys()].map((partition) => link.leaderOf(partition) ?? -1);
  return new Set(leaders.filter((leader) => leader >= 0));
}
