import { LeadershipError } from '@leadership/core';
import type { Queue } from '@leadership/core/backend';
import { isSaid, kafkaError } from './errors.ts';
import { type Link, openLink } from './link.ts';
import { type Patience, patience } from './patience.ts';
import { read, type Taking } from './reader.ts';
import { limitsOf, type Wiring } from './wiring.ts';

/** Options of {@link followTopic}. */
export interface FollowingOptions<News> {
  readonly wiring: Wiring;
  readonly taking: Taking & { begin(): Queue<News> };
  /** Creates and checks the topic: before the first read, and again after the topic was deleted. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  /** Called with a new connection to a topic with enough partitions. Reading starts once it resolves. */
  readonly opened?: (link: Link) => Promise<void>;
  /** Called with a new connection, which writes use too. */
  readonly linked: (link: Link) => void;
  /** Returns the news to emit when the topic was deleted. */
  readonly gone: () => Iterable<News>;
  /** Yields news to emit before a topic with too few partitions is refused. */
  readonly tooFew?: (link: Link) => AsyncIterable<News>;
}

/**
 * Returns a function that reads the topic's news. Each call opens one connection, and ends or
 * throws with it.
 */
export function followTopic<News>(options: FollowingOptions<News>): (signal: AbortSignal) => AsyncGenerator<News> {
  const { prepare, gone } = options;
  const patient = patience(patienceOf(options.wiring).limitMs);
  let isPrepared = false;
  return async function* (signal) {
    if (!isPrepared) await prepare(signal);
    isPrepared = true;
    try {
      yield* overOneLink(options, patient, signal);
    } catch (error) {
      if (isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) {
        // The topic was deleted: the next call creates and checks it again.
        isPrepared = false;
        yield* gone();
      }
      throw kafkaError(error, `topic ${options.wiring.topic}`);
    }
  };
}

async function* overOneLink<News>(options: FollowingOptions<News>, patient: Patience, signal: AbortSignal): AsyncGenerator<News> {
  const { wiring, taking, linked, opened } = options;
  const { topic, partitions, clock, host } = wiring;
  const link = await openLink({ ...wiring, ...limitsOf(wiring) }, signal);
  const over = new AbortController();
  const answered = (): void => host.confirmed();
  try {
    if (link.partitions < partitions) yield* refused(options, link);
    await opened?.(link);
    linked(link);
    const news = taking.begin();
    const reading = read({ link, topic, clock, ...patienceOf(wiring), patience: patient, taking, answered }).finally(() => over.abort());
    reading.catch(() => undefined);
    yield* news.drain(over.signal);
    await reading;
  } finally {
    link.hangUp();
  }
}

async function* refused<News>({ wiring: { topic, partitions }, tooFew }: FollowingOptions<News>, link: Link): AsyncGenerator<News> {
  const there = link.partitions;
  if (tooFew) yield* tooFew(link);
  const sentence = `topic ${topic}: it has ${there} partitions, and partitions is ${partitions}: add some to the topic, or configure fewer`;
  throw new LeadershipError('misconfigured-backend', sentence);
}

/**
 * The long poll's wait at the broker, and the limit on its answer beyond that. Both together are
 * shorter than a lease, unless late answers have extended the limit.
 */
function patienceOf({ thresholdMs }: Wiring): { readonly waitMs: number; readonly limitMs: number } {
  return { waitMs: thresholdMs / 3, limitMs: thresholdMs / 3 };
}
