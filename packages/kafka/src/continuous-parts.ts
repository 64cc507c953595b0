import type { InductionParts, InductionTraits } from '@leadership/core/induction';
import { groupAssignment } from './assignment.ts';
import { kafkaBeats } from './beats.ts';
import type { OwnOptions } from './options.ts';
import type { Wiring } from './wiring.ts';

/** Induction over a topic of beats, where the consumer group says who should lead (I). */
export function continuousParts(wiring: Wiring, { beats }: Pick<OwnOptions, 'beats'>, checkMs?: number): InductionParts {
  let thereNow = (): void => undefined;
  const topicIsThere = new Promise<void>((resolve) => {
    thereNow = resolve;
  });
  const heard = kafkaBeats(wiring, beats === 'all' ? 'stamped-beats' : 'beats', thereNow, checkMs);
  return { beats: heard, assignment: groupAssignment(wiring, topicIsThere) };
}

/** What is known of Kafka: a rebalance waits no longer for a member than its session lasts, and generations are counted. */
export function continuousTraits({ sessionTimeoutMs, beats }: Pick<OwnOptions, 'sessionTimeoutMs' | 'beats'>): InductionTraits {
  return { sessionTimeoutMs, rebalanceTimeoutMs: sessionTimeoutMs, stamps: beats === 'all' ? 'broker' : 'none', numbered: true };
}
