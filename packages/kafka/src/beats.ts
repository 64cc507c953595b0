import { LeadershipError } from '@leadership/core';
import { raised } from '@leadership/core/backend';
import { type Beats, formatBeat } from '@leadership/core/induction';
import { BeatIntake } from './beat-intake.ts';
import { ContinuousPin } from './continuous-pin.ts';
import { followTopic } from './follow-topic.ts';
import { type Link, openLink } from './link.ts';
import { sender } from './sender.ts';
import type { TopicUse } from './topic-settings.ts';
import { topicWatch, usualCheckMs } from './topic-watch.ts';
import { limitsOf, type Wiring } from './wiring.ts';

/**
 * Returns the beats of a topic: partition p of the topic carries the beats of partition p. `linked`
 * is called for every new connection. `checkMs`: the interval of the checks of the topic's
 * settings, in milliseconds.
 */
export function kafkaBeats(
  wiring: Wiring,
  use: TopicUse & ('beats' | 'stamped-beats'),
  linked: () => void,
  checkMs: number = usualCheckMs,
): Beats {
  const { topic, partitions, thresholdMs, host } = wiring;
  const closed = new AbortController();
  const troubles = raised(host, 'trouble');
  let link: Link | undefined;
  const sending = sender({ topic, link: () => link, ackMs: thresholdMs / 3 });
  const topicOptions = { ...wiring, ...limitsOf(wiring), check: wiring.topicCheck, use };
  const watch = topicWatch({ topic: topicOptions, host, link: () => link, signal: closed.signal, everyMs: checkMs });
  const openApart = (): Promise<Link> => openLink({ ...wiring, ...limitsOf(wiring) }, closed.signal);
  const pin = new ContinuousPin({ wiring, troubles, sender: sending, signal: closed.signal, openApart });
  const follow = followTopic({
    wiring,
    taking: new BeatIntake(partitions, troubles, pin),
    gone() {
      pin.forget();
      // A leader whose topic was deleted leads until its last beat expires: this guarantee prefers two leaders to none.
      return [];
    },
    prepare: watch.prepare,
    opened(now) {
      link = now;
      return pin.admit(now, !wiring.observes);
    },
    linked,
  });
  return {
    async send(beats, signal) {
      if (closed.signal.aborted) throw new LeadershipError('closed', `topic ${topic}: the beats are closed`);
      // A member that only observed until now has written no pin yet.
      await pin.admitSender();
      await Promise.all(beats.map((beat) => sending.send(beat.partition, formatBeat(beat), signal)));
    },
    heard: (_partitions, signal) => follow(AbortSignal.any([signal, closed.signal])),
    close() {
      closed.abort();
      troubles.mendAll();
      watch.mendAll();
      return Promise.resolve();
    },
  };
}
