// Writes and reads beats, the signs of life of leaders with the guarantee `continuous`, on a topic.
import { LeadershipError } from '@leadership/core';
import { HealthReporter } from '@leadership/core/internal/engine';
import { type Beats, formatBeat } from '@leadership/induction';
import { type ClusterConnection, openClusterConnection } from '../connection/cluster-connection.ts';
import { limitsOf, type MemberContext, mayCreate } from '../member-context.ts';
import { BeatDecoder } from './beat-decoder.ts';
import { ContinuousPin } from './continuous-pin.ts';
import { followTopic } from './follow-topic.ts';
import type { Notes } from './notes.ts';
import { sender } from './sender.ts';
import type { TopicUse } from './topic-settings.ts';
import { topicWatch, usualCheckMs } from './topic-watch.ts';

/**
 * Returns the beats of a topic: partition p of the topic carries the beats of partition p, and
 * partition 0 also the pin and the notes of the members. `connected` is called for every new
 * connection. `checkMs`: the interval of the checks of the topic's settings, in milliseconds.
 */
export function kafkaBeats(
  context: MemberContext,
  use: TopicUse & ('beats' | 'stamped-beats'),
  notes: Notes,
  connected: () => void,
  checkMs: number = usualCheckMs,
): Beats {
  const { topic, partitions, thresholdMs, host } = context;
  const closed = new AbortController();
  const troubles = new HealthReporter(host);
  let connection: ClusterConnection | undefined;
  const sending = sender({ topic, connection: () => connection, ackMs: thresholdMs / 3 });
  const topicOptions = { ...context, ...limitsOf(context), check: context.topicCheck, use };
  const watch = topicWatch({
    topic: topicOptions,
    host,
    connection: () => connection,
    signal: closed.signal,
    everyMs: checkMs,
  });
  const openApart = (): Promise<ClusterConnection> =>
    openClusterConnection({ ...context, ...limitsOf(context) }, closed.signal);
  const pin = new ContinuousPin({
    context,
    troubles,
    sender: sending,
    signal: closed.signal,
    openApart,
  });
  const decoder = new BeatDecoder(partitions, troubles, pin, notes);
  const note = async (text: string): Promise<void> => {
    await pin.admitSender();
    await sending.send(0, text, closed.signal);
  };
  const follow = followTopic({
    context,
    decoder,
    // A leader whose topic was deleted leads until its last beat expires: this guarantee prefers
    // two leaders to none.
    gone: () => pin.forget(),
    missing: () => pin.missing(),
    prepare: watch.prepare,
    opened(now) {
      connection = now;
      return pin.admit(now, mayCreate(context));
    },
    connected() {
      notes.connected(note);
      connected();
    },
  });
  return {
    async send(beats, signal) {
      if (closed.signal.aborted)
        throw new LeadershipError('closed', `topic ${topic}: the beats are closed`);
      // A member that only observed until now has written no pin yet.
      await pin.admitSender();
      await Promise.all(
        beats.map((beat) => sending.send(beat.partition, formatBeat(beat), signal)),
      );
    },
    received: (_partitions, signal) => follow(AbortSignal.any([signal, closed.signal])),
    async close() {
      await notes.leave();
      closed.abort();
      troubles.mendAll();
      watch.mendAll();
    },
  };
}
