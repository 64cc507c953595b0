import { LeadershipError } from '@leadership/core';
import type { Queue } from '@leadership/core/backend';
import { isSaid, kafkaError } from './errors.ts';
import { type Link, openLink } from './link.ts';
import { type Patience, patience } from './patience.ts';
import { read, type Taking } from './reader.ts';
import { limitsOf, type Wiring } from './wiring.ts';

/** What following one member's topic needs. */
export interface FollowingOptions<News> {
  readonly wiring: Wiring;
  readonly taking: Taking & { begin(): Queue<News> };
  /** Makes the topic, and looks at it: before it is first read, and again once it is gone. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  /** There is a new connection to a topic with enough partitions; it is not read before this resolves. */
  readonly opened?: (link: Link) => Promise<void>;
  /** There is a new connection: writes go by it too. */
  readonly linked: (link: Link) => void;
  /** What there is to tell of a topic that is gone. */
  readonly gone: () => Iterable<News>;
  /** What there is to tell before a topic is refused that has too few partitions. */
  readonly tooFew?: (link: Link) => AsyncIterable<News>;
}

/** News of the topic over one connection after the other: each call opens one, and ends or throws with it. */
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
        // Whoever deleted the topic may want another: it is made, and looked at, as at the start.
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

/** How long a broker may wait for something new, and how long its answer may take beyond that: both together are over before a lease is, unless brokers were late before. */
function patienceOf({ thresholdMs }: Wiring): { readonly waitMs: number; readonly limitMs: number } {
  return { waitMs: thresholdMs / 3, limitMs: thresholdMs / 3 };
}
