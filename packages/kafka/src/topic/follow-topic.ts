// Reads the beats of a topic, from its end on.
import { LeadershipError } from '@leadership/core';
import { sleep } from '@leadership/core/adapter';
import type { BeatEvent } from '@leadership/induction';
import { type AdaptiveTimeout, adaptiveTimeout } from '../connection/adaptive-timeout.ts';
import { type ClusterConnection, openClusterConnection } from '../connection/cluster-connection.ts';
import { hasErrorType, kafkaError } from '../errors.ts';
import { limitsOf, type MemberContext, mayCreate } from '../member-context.ts';
import type { BeatDecoder } from './beat-decoder.ts';
import { read } from './reader.ts';

/** Options of {@link followTopic}. */
export interface FollowingOptions {
  readonly context: MemberContext;
  readonly decoder: BeatDecoder;
  /**
   * Creates and checks the topic: before the first read, and again after the topic was deleted.
   * Resolves with `false` if it is missing and `mayCreate` is false.
   */
  readonly prepare: (mayCreate: boolean, signal: AbortSignal) => Promise<boolean>;
  /** Called when an observer finds no topic. */
  readonly missing: () => void;
  /**
   * Called with a new connection to a topic with enough partitions. Reading starts once it
   * resolves.
   */
  readonly opened: (connection: ClusterConnection) => Promise<void>;
  /** Called when that connection can be used. */
  readonly connected: () => void;
  /** Called when the topic was deleted. */
  readonly gone: () => void;
}

/**
 * Returns a function that reads the topic's news. Each call opens one connection, and ends or
 * throws with it.
 */
export function followTopic(
  options: FollowingOptions,
): (signal: AbortSignal) => AsyncGenerator<BeatEvent> {
  const { gone } = options;
  const patient = adaptiveTimeout(timeoutsOf(options.context).limitMs);
  let isPrepared = false;
  return async function* (signal) {
    if (!isPrepared) yield* prepared(options, signal);
    if (signal.aborted) return;
    isPrepared = true;
    try {
      yield* overOneLink(options, patient, signal);
    } catch (error) {
      if (hasErrorType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) {
        // The topic was deleted: the next call creates and checks it again.
        isPrepared = false;
        gone();
      }
      throw kafkaError(error, `topic ${options.context.topic}`);
    }
  };
}

/** The interval at which an observer looks for a topic that no member has created yet. In T. */
const looksThresholds = 0.5;

/** Ends once the topic exists, or the signal aborts. An observer waits for another member. */
async function* prepared(
  { context, decoder, prepare, missing }: FollowingOptions,
  signal: AbortSignal,
): AsyncGenerator<BeatEvent> {
  const { clock, host, thresholdMs } = context;
  let isMissing = false;
  while (!(await prepare(mayCreate(context), signal))) {
    host.confirmed();
    if (!isMissing) {
      missing();
      yield decoder.missing();
    }
    isMissing = true;
    await sleep(clock, looksThresholds * thresholdMs, signal);
    if (signal.aborted) return;
  }
}

async function* overOneLink(
  { context, decoder, connected, opened }: FollowingOptions,
  patient: AdaptiveTimeout,
  signal: AbortSignal,
): AsyncGenerator<BeatEvent> {
  const { topic, partitions, clock, host } = context;
  const connection = await openClusterConnection({ ...context, ...limitsOf(context) }, signal);
  const over = new AbortController();
  const answered = (): void => host.confirmed();
  try {
    if (connection.partitions < partitions) throw refused(context, connection);
    await opened(connection);
    connected();
    const update = decoder.begin();
    const reading = read({
      connection,
      topic,
      clock,
      ...timeoutsOf(context),
      timeout: patient,
      receiver: decoder,
      answered,
    }).finally(() => over.abort());
    reading.catch(() => undefined);
    yield* update.drain(over.signal);
    await reading;
  } finally {
    connection.close();
  }
}

function refused(
  { topic, partitions }: MemberContext,
  { partitions: there }: ClusterConnection,
): LeadershipError {
  const sentence = `topic ${topic}: it has ${there} partitions, and partitions is ${partitions}: add some to the topic, or configure fewer`;
  return new LeadershipError('misconfigured-backend', sentence);
}

/**
 * The long poll's wait at the broker, and the limit on its answer beyond that. Both together are
 * shorter than a lease, unless late answers have extended the limit.
 */
function timeoutsOf({ thresholdMs }: MemberContext): {
  readonly waitMs: number;
  readonly limitMs: number;
} {
  return { waitMs: thresholdMs / 3, limitMs: thresholdMs / 3 };
}
