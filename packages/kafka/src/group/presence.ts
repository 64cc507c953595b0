// The candidates of the election, from the membership of the consumer group. The coordinator
// removes a dead member when its session ends, and notifies all members of each join and leave.
//
// The exclusive guarantee needs nothing else of the group: the group assigns no partitions, and any
// other membership service could replace it. The placement decides which member should lead which
// partition. While the coordinator is unavailable, the last known members count. If no members were
// ever known, members still claim lapsed leases.

import { HealthReporter, latestValue } from '@leadership/core/internal/engine';
import type { Presence } from '@leadership/core/internal/lease';
import { kafkaError } from '../errors.ts';
import type { MemberContext } from '../member-context.ts';
import type { LeaveNotice } from '../topic/leave-notice.ts';
import { groupIdOf, groupSessions } from './group-sessions.ts';
import type { Plan } from './plan.ts';
import { stickyAssigner } from './sticky-assigner.ts';

/** A {@link Presence} that also reports when the member has left the group. */
export interface GroupPresence extends Presence {
  /** Resolves once the member has left the group, after the last announcement was aborted. */
  left(): Promise<void>;
}

/** The parts of the member that presence uses. */
export interface PresenceParts {
  /** Resolves once the topic exists. */
  readonly topicIsThere: Promise<void>;
  /** Notifies the other members that this member leaves, without waiting for the coordinator. */
  readonly sendLeaveNotice: (notice: LeaveNotice) => void;
  readonly leaveNotices: (signal: AbortSignal) => AsyncIterable<LeaveNotice>;
}

/** Returns a presence that joins the consumer group once the topic exists. */
export function groupPresence(
  context: MemberContext,
  { topicIsThere, sendLeaveNotice, leaveNotices }: PresenceParts,
): GroupPresence {
  const { topic, host } = context;
  const { incarnation } = host;
  const members = latestValue<readonly string[]>();
  const standing = attendance((present) => members.set(present));
  const troubles = new HealthReporter(host);
  let sessions = 0;
  const life = groupSessions({
    context,
    topicIsThere,
    assigner: stickyAssigner({ topic, memberInfo: () => ({ incarnation, session: sessions }) }),
    assigns: false,
    planned(plan) {
      troubles.mend('group');
      standing.planned(plan);
    },
    broke: (error) =>
      troubles.raise('group', kafkaError(error, `consumer group ${groupIdOf(context)}`)),
    entered(signal) {
      sessions += 1;
      const session = sessions;
      const notifyLeave = (): void => sendLeaveNotice({ incarnation, session });
      signal.addEventListener('abort', notifyLeave, { once: true });
      return { [Symbol.dispose]: () => signal.removeEventListener('abort', notifyLeave) };
    },
  });
  return {
    async announce(signal) {
      await life.run(signal);
      troubles.mendAll();
    },
    async *present(signal) {
      const following = (async () => {
        for await (const one of leaveNotices(signal)) standing.left(one);
      })();
      yield* members.follow(signal);
      await following;
    },
    left: life.left,
  };
}

/**
 * Tracks the present members: those in the plan, except members whose leave notice arrived before
 * the coordinator's next plan.
 */
function attendance(changed: (present: readonly string[]) => void): {
  planned(plan: Plan): void;
  left(notice: LeaveNotice): void;
} {
  const gone = new Map<string, number>();
  let members: Plan['members'] = new Map();
  const publish = (): void => {
    const present = [...members].filter(
      ([incarnation, session]) => session > (gone.get(incarnation) ?? 0),
    );
    changed(present.map(([incarnation]) => incarnation));
  };
  return {
    planned(plan) {
      ({ members } = plan);
      for (const incarnation of gone.keys())
        if (!members.has(incarnation)) gone.delete(incarnation);
      publish();
    },
    left({ incarnation, session }) {
      if (!members.has(incarnation)) return;
      gone.set(incarnation, Math.max(session, gone.get(incarnation) ?? 0));
      publish();
    },
  };
}
