// Reads the topic from the brokers that lead its partitions: one long poll per broker, each partition from where its cursor
// stands. What fails at one broker concerns its partitions; where no broker answers any more reading ends, and is begun anew.
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

/** Who takes what is read. */
export interface Taking {
  /** Where reading stands, by partition of the topic. The reader moves them. */
  readonly cursors: Map<number, Cursor>;
  /** Where reading begins, and begins again where a position was lost. */
  readonly origin: 'start' | 'end';
  /** The lowest offset that is still needed of a partition whose position was lost, where that is known: reading resumes there if it can. */
  neededFrom?(partition: number): bigint | undefined;
  /** What a reply said of one partition. */
  taken(taken: Taken, fetched: FetchedPartition, receivedAt: Instant): void;
  /** The position in a partition was lost. */
  lost(partition: number): void;
  /** A partition cannot be read, nor its position kept; the others are read on. */
  failed(partition: number, error: LeadershipError): void;
}

/** What reading needs, and who is told. */
export interface ReaderOptions {
  readonly link: Link;
  readonly topic: string;
  readonly clock: Clock;
  /** How long a broker may wait for something new. Milliseconds. */
  readonly waitMs: number;
  /** How long an answer may take beyond that. Milliseconds. */
  readonly limitMs: number;
  /** How much longer it may take where answers were late. Default: no longer. */
  readonly patience?: Patience;
  readonly taking: Taking;
  /** A broker answered. */
  readonly answered: () => void;
}

/** Why a broker is polled no more; nothing, where it has nothing left to lead. */
interface Ended {
  readonly error?: unknown;
  /** Whether it had answered at least once. */
  readonly served: boolean;
  /** No poll ended: leaders are looked for. */
  readonly isLook?: true;
}

/** How soon, and how late at last, a leader is looked for again. Milliseconds. */
const lookMs = 50;
const lookMsMax = 500;
/** How often an end that is short of what was read before is looked at again. Milliseconds. */
const shortPollMs = 50;

/** Reads until the link is hung up; rejects where there is nobody left to read from. */
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
    // No broker that is polled says when a leader has been found.
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

/** Whether to begin anew: the topic is gone, the right to read it missing, or the last broker away. */
async function isEnd({ link, limitMs }: ReaderOptions, error: unknown, others: number): Promise<boolean> {
  // A broker that was away may not have heard yet of what the others know.
  if (isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return link.isGone(limitMs);
  // Rights are rights to all of the topic: nobody else would serve it either.
  if (isSaid(error, 'TOPIC_AUTHORIZATION_FAILED')) return true;
  return error !== undefined && others === 0 && !(error instanceof Refused);
}

/** A broker is well, and says no: it leads a partition no more. */
class Refused extends Error {
  constructor(cause: unknown) {
    super('a broker does not serve a partition', { cause });
  }
}

/** Polls one broker for what it leads, until it fails or has nothing left to lead. Never rejects. */
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
  // Another broker may have been asked meanwhile, and the place be another: what came late is no answer to it.
  return replies.filter(({ partition }) => cursors.get(partition)?.position === asked.get(partition));
}

/** Asks with the patience there is, which learns from how long the answer takes. */
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
 * Where each is read from. Those that have no position resume where the caller needs the partition from (L11), or begin at the origin, which
 * the broker is asked for once for all of them.
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

/** A broker that has nothing new waits before it says so: who has not read to the end cannot wait for that. */
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

/** The position means nothing any more (L11). */
function forget({ taking }: ReaderOptions, partition: number): void {
  const cursor = taking.cursors.get(partition);
  if (cursor === undefined) return;
  // Where even what was read before was not found again, nothing of it counts.
  taking.cursors.set(partition, cursor.sought ? startOver(cursor) : lose(cursor));
  if (cursor.stage !== 'fresh') taking.lost(partition);
}

function fail({ taking, topic }: ReaderOptions, partition: number, error: unknown): void {
  const cursor = taking.cursors.get(partition);
  if (cursor === undefined) return;
  taking.cursors.set(partition, lose(cursor));
  taking.failed(partition, kafkaError(error, `topic ${topic}, partition ${partition}`));
}

/** Says once of each partition that no broker leads it: nobody is polled for it, however well the others are. */
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
