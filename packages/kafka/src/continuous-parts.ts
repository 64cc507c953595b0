import type { InductionParts, InductionTraits } from '@leadership/induction';
import { groupAssignment } from './group/assignment.ts';
import { type MemberContext, setCandidate } from './member-context.ts';
import type { OwnOptions } from './options.ts';
import { kafkaBeats } from './topic/beats.ts';

/**
 * Returns the parts of induction: a topic of beats, and the consumer group that assigns leaders
 * (I).
 */
export function continuousParts(
  context: MemberContext,
  { beats }: Pick<OwnOptions, 'beats'>,
  checkMs?: number,
): InductionParts {
  let thereNow = (): void => undefined;
  const topicIsThere = new Promise<void>((resolve) => {
    thereNow = resolve;
  });
  const received = kafkaBeats(
    context,
    beats === 'all' ? 'stamped-beats' : 'beats',
    thereNow,
    checkMs,
  );
  const assignment = groupAssignment(context, topicIsThere);
  return {
    beats: received,
    assignment: {
      ...assignment,
      setCandidate(isCandidate) {
        setCandidate(context, isCandidate);
        assignment.setCandidate(isCandidate);
      },
    },
  };
}

/**
 * Returns Kafka's traits: a rebalance waits for a member at most until its session ends, and
 * generations are numbered.
 */
export function continuousTraits({
  sessionTimeoutMs,
  beats,
}: Pick<OwnOptions, 'sessionTimeoutMs' | 'beats'>): InductionTraits {
  return {
    sessionTimeoutMs,
    rebalanceTimeoutMs: sessionTimeoutMs,
    stamps: beats === 'all' ? 'broker' : 'none',
    numbered: true,
  };
}
