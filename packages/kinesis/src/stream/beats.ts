// Sends and receives beats over a Kinesis stream (I1). All beats of a partition use the partition's
// hash key, so they stay in order in one shard and its descendants. Kinesis makes no promise about
// its arrival timestamps. They are ignored, and only a member's own beats are proof (I2). The same
// read also returns the wake-up notifications of the members that compete for leases.
import { LeadershipError } from '@leadership/core';
import type { Instant, ResolvedOptions } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import { type BeatEvent, type Beats, formatBeat, parseBeat } from '@leadership/induction';
import type { Notifications } from '../table/notifications.ts';
import { answerMsOf, type Store } from '../table/store.ts';
import { followShards, type ShardUpdate } from './follow-shards.ts';
import { groupKey, type HashKey, partitionKey } from './hash-key.ts';
import { isNotification, notifierIn } from './notification.ts';
import { notificationSender } from './notification-sender.ts';
import { type ReadRate, readRate } from './read-rate.ts';
import type { Stream } from './stream.ts';

/** The two kinds of messages that one stream carries. */
export interface StreamBeats {
  readonly beats: Beats;
  readonly notifications: Notifications;
}

/** The settings that beats need from the group and the member. */
export interface StreamBeatsOptions
  extends Pick<ResolvedOptions, 'group' | 'partitions' | 'thresholdMs' | 'campaign'> {
  /** Called once no request to the stream is made any longer. */
  readonly closed: () => void;
}

/**
 * The longest pause of a throttled reader, as a share of T. After a longer pause the member's own
 * beats would come back too late.
 */
const timeoutShare = 1 / 6;

/** Creates the beats and the wake-up notifications of one member on a stream. */
export function streamBeats(
  store: Store,
  stream: Stream,
  options: StreamBeatsOptions,
): StreamBeats {
  const { host, clock, busy, readers } = store;
  const { group, partitions, thresholdMs, campaign } = options;
  const { random, incarnation } = host;
  const closed = new AbortController();
  const [troubles, warnings] = [new HealthReporter(host), new HealthReporter(host, 'warning')];
  const wakeKey = groupKey(group);
  const sender = notificationSender(store, { stream, key: wakeKey, troubles: warnings });
  const places = new Map(
    Array.from({ length: partitions }, (_, partition) => [
      partitionKey(partition, partitions),
      partition,
    ]),
  );
  const listeners = new Set<() => void>();
  const newReadRate = (): ReadRate =>
    readRate({ readers, lastMs: timeoutShare * thresholdMs, random });
  const following = {
    stream,
    keys: [wakeKey, ...places.keys()],
    clock,
    limitMs: answerMsOf(thresholdMs),
    newReadRate,
    busy,
    troubles,
  };
  const ring = (text: string): void => {
    const waker = notifierIn(text, group);
    if (waker !== undefined && waker !== incarnation) for (const wake of listeners) wake();
  };
  let isFirst = true;
  const beats: Beats = {
    async send(due, signal) {
      if (closed.signal.aborted)
        throw new LeadershipError('closed', `stream "${stream.name}": the beats are closed`);
      const entries = due.map((beat) => ({
        key: partitionKey(beat.partition, partitions),
        text: formatBeat(beat),
      }));
      await busy.track(stream.append(entries, signal));
    },
    async *received(_partitions, signal) {
      const until = AbortSignal.any([signal, closed.signal]);
      const greets = campaign && isFirst;
      isFirst = false;
      const follow = (over: AbortSignal): AsyncIterable<ShardUpdate> =>
        followShards(following, over);
      const greet = (over: AbortSignal): Promise<void> =>
        greets ? sender.greet(over) : Promise.resolve();
      for await (const update of beside(greet, follow, until))
        yield* updateIn(update, places, ring);
    },
    async close() {
      closed.abort();
      await busy.settled(clock, thresholdMs);
      troubles.mendAll();
      options.closed();
    },
  };
  return {
    beats,
    notifications: {
      notify: sender.notify,
      listen: listening(listeners),
      close: () => closing(sender, warnings),
    },
  };
}

/**
 * Yields what `follow` yields, and fails once `greet` rejects. A stream that accepts the greeting
 * slowly does not delay the reader.
 */
async function* beside<T>(
  greet: (until: AbortSignal) => Promise<void>,
  follow: (until: AbortSignal) => AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  let refusal: { readonly error: unknown } | undefined;
  greet(until).catch((error: unknown) => {
    refusal = { error };
    over.abort();
  });
  try {
    yield* follow(until);
    if (refusal !== undefined) throw refusal.error;
  } finally {
    over.abort();
  }
}

function closing(sender: { close(): void }, warnings: { mendAll(): void }): void {
  sender.close();
  warnings.mendAll();
}

/** The reader of beats also receives notifications, so this only registers a listener. */
function listening(listeners: Set<() => void>): Notifications['listen'] {
  return (ring, signal) => {
    listeners.add(ring);
    signal.addEventListener('abort', () => listeners.delete(ring), { once: true });
    return Promise.resolve();
  };
}

function* updateIn(
  update: ShardUpdate,
  places: ReadonlyMap<HashKey, number>,
  ring: (text: string) => void,
): Generator<BeatEvent> {
  if (update.kind === 'listening') {
    const partitions = update.keys.flatMap((key) => places.get(key) ?? []);
    if (partitions.length > 0) yield { kind: 'listening', partitions };
    return;
  }
  for (const text of update.texts) {
    if (isNotification(text)) ring(text);
    else yield beatIn(text, update.receivedAt);
  }
}

function beatIn(text: string, receivedAt: Instant): BeatEvent {
  const beat = parseBeat(text);
  return beat === undefined
    ? { kind: 'ignored', what: 'a record that is not a beat' }
    : { kind: 'beat', beat, receivedAt };
}
