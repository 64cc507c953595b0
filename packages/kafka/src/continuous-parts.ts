import type { InductionParts, InductionTraits } from '@leadership/induction';
import { groupAssignment } from './group/assignment.ts';
import { type MemberContext, setCandidate } from './member-context.ts';
import type { OwnOptions } from './options.ts';
import { kafkaBeats } from './topic/beats.ts';
import { Notes, type NotesParts } from './topic/notes.ts';

/**
 * Returns the parts of induction: a topic of beats, and the consumer group that assigns leaders
 * (I).
 */
export function continuousParts(
  context: MemberContext,
  { beats }: Pick<OwnOptions, 'beats'>,
  listing: Omit<NotesParts, 'context'>,
  checkMs?: number,
): InductionParts {
  let thereNow = (): void => undefined;
  const topicIsThere = new Promise<void>((resolve) => {
    thereNow = resolve;
  });
  const notes = new Notes({ context, ...listing });
  const received = kafkaBeats(
    context,
    beats === 'all' ? 'stamped-beats' : 'beats',
    notes,
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
        notes.stand(isCandidate);
      },
      publish: (publication) => notes.publish(publication),
      isUnsure: () => notes.isUnsure(),
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
    settles: true,
  };
}
