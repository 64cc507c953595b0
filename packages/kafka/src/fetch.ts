import type { Clock, Instant } from '@leadership/core/backend';
import { isSaid } from './errors.ts';
import { type FetchedPartition, partitionsIn } from './fetched.ts';
import type { Link } from './link.ts';
import { Unanswered } from './timely.ts';

/** What is asked of one broker. */
export interface FetchOptions {
  readonly topic: string;
  readonly clock: Clock;
  /** How long the broker may wait for something new. Milliseconds. */
  readonly waitMs: number;
  /** How long an answer may take beyond that: afterwards the connection counts as dead. Milliseconds. */
  readonly limitMs: number;
}

/** From where in which partition. */
export interface FetchFrom {
  readonly partition: number;
  readonly position: bigint;
}

/** What became of one partition. */
export type Fetched =
  | { readonly kind: 'fetched'; readonly partition: number; readonly fetched: FetchedPartition; readonly receivedAt: Instant }
  /** The position is no offset of this log. */
  | { readonly kind: 'out-of-range'; readonly partition: number }
  /** The broker answered that it cannot: it does not lead the partition, most likely. */
  | { readonly kind: 'failed'; readonly partition: number; readonly error: unknown };

/** Records of transactions that were called off are records too: every reader sees the same, and nobody's transaction holds readers back. */
const readUncommitted = 0;
/** A reply is decoded at once: this many bytes of it take some milliseconds. */
const replyBytes = 1_048_576;
const partitionBytes = 262_144;

/** Fetches from one broker. Rejects where the connection is the matter. */
export async function fetch(link: Link, node: number, from: readonly FetchFrom[], options: FetchOptions): Promise<readonly Fetched[]> {
  try {
    return await ask(link, node, from, options);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    // What is wrong with one partition fails the whole request, and the answer does not say which: each is asked by itself then.
    const [only, ...others] = from;
    if (only === undefined || others.length > 0) return await eachAlone(link, node, from, { ...options, waitMs: 0 });
    const { partition } = only;
    return [isSaid(error, 'OFFSET_OUT_OF_RANGE') ? { kind: 'out-of-range', partition } : { kind: 'failed', partition, error }];
  }
}

async function eachAlone(link: Link, node: number, from: readonly FetchFrom[], options: FetchOptions): Promise<readonly Fetched[]> {
  const replies = await Promise.all(from.map((one) => fetch(link, node, [one], options)));
  return replies.flat();
}

async function ask(link: Link, node: number, from: readonly FetchFrom[], options: FetchOptions): Promise<readonly Fetched[]> {
  const { topic, clock, waitMs, limitMs } = options;
  const broker = await link.broker(node);
  const asked = from.map(({ partition, position }) => ({ partition, fetchOffset: String(position), maxBytes: partitionBytes }));
  const request = { maxWaitTime: Math.round(waitMs), minBytes: 1, maxBytes: replyBytes, isolationLevel: readUncommitted };
  const silentMs = waitMs + limitMs;
  const answer = link.inTime(broker.fetch({ ...request, topics: [{ topic, partitions: asked }] }), silentMs);
  const reply = await answer.catch((error: unknown) => {
    if (error instanceof Unanswered) link.endSilent(silentMs);
    throw error;
  });
  const receivedAt = clock.now();
  return partitionsIn(reply).map((fetched) => ({ kind: 'fetched', partition: fetched.partition, fetched, receivedAt }));
}

/** Whether a broker said it: then the connection is well. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && (error.name === 'KafkaJSProtocolError' || error.name === 'KafkaJSOffsetOutOfRange');
}
