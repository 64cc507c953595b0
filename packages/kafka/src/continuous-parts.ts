import type { InductionParts, InductionTraits } from '@leadership/core/induction';
import { groupAssignment } from './assignment.ts';
import { kafkaBeats } from './beats.ts';
import type { OwnOptions } from './options.ts';
import type { Wiring } from './wiring.ts';

/** Returns the parts of induction: a topic of beats, and the consumer group that assigns leaders (I). */
export function continuousParts(wiring: Wiring, { beats }: Pick<OwnOptions, 'beats'>, checkMs?: number): InductionParts {
  let thereNow = (): void => undefined;
  const topicIsThere = new Promise<void>((resolve) => {
    thereNow = resolve;
  });
  const heard = kafkaBeats(wiring, beats === 'all' ? 'stamped-beats' : 'beats', thereNow, checkMs);
  return { beats: heard, assignment: groupAssignment(wiring, topicIsThere) };
}

/**
 * Returns Kafka's traits: a rebalance waits for a member at most until its session ends, and
 * generations are numbered.
 */
export function continuousTraits({ sessionTimeoutMs, beats }: Pick<OwnOptions, 'sessionTimeoutMs' | 'beats'>): InductionTraits {
  return { sessionTimeoutMs, rebalanceTimeoutMs: sessionTimeoutMs, stamps: beats === 'all' ? 'broker' : 'none', numbered: true };
}
