// Asks the coordinator of the consumer group which partitions a member leads, after it has joined.
import { LeadershipError } from '@leadership/core';
import { sleep } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import type { DescribedMember, GroupSessionOptions } from './group-client.ts';
import type { Plan } from './plan.ts';
import { planIn } from './sticky-assigner.ts';

/** Describes the group. The answering broker considers itself the coordinator. */
type DescribeGroup = () => Promise<{ readonly members: readonly DescribedMember[] }>;

/**
 * The options of a session that {@link queryPlan} needs. It requests the plan at least once per
 * heartbeat, and rejects if it finds none within the session time-out.
 */
type QueryPlanOptions = Pick<
  GroupSessionOptions,
  'topic' | 'groupId' | 'clock' | 'sessionTimeoutMs' | 'heartbeatMs' | 'fits'
>;

/** The first pause between two requests: the group may still be planning. Milliseconds. */
const firstPauseMs = 50;

/**
 * Returns the plan for a member that has joined. Only the coordinator has the user data of all
 * members. A broker that no longer is the coordinator, and has not noticed yet, describes an
 * earlier plan, which does not fit. Returns `undefined` once the signal aborts: the answer, or the
 * error, was then about an earlier join.
 */
export async function queryPlan(
  options: QueryPlanOptions,
  memberId: string,
  describe: DescribeGroup,
  signal: AbortSignal,
): Promise<Plan | undefined> {
  const { topic, groupId, clock, sessionTimeoutMs, heartbeatMs } = options;
  const { fits = () => true } = options;
  const planOf = { memberId, topic };
  const until = after(clock.now(), sessionTimeoutMs);
  for (let waitMs = firstPauseMs; !signal.aborted; waitMs = Math.min(2 * waitMs, heartbeatMs)) {
    const members = await membersOf(describe, signal);
    if (members === undefined) break;
    const plan = planIn(members, planOf);
    if (plan !== undefined && fits(plan)) return plan;
    if (clock.now() >= until) throw planless(groupId, plan?.strangers ?? []);
    await sleep(clock, waitMs, signal);
  }
  return undefined;
}

/** The error names clients of another kind: one of them may have made the plan. */
function planless(groupId: string, strangers: readonly string[]): LeadershipError {
  const others =
    strangers.length > 0
      ? `; ${strangers.join(', ')} joined it too, and does not belong to this election`
      : '';
  return new LeadershipError(
    'unreachable',
    `consumer group ${groupId}: its coordinator returns no plan for this member${others}`,
  );
}

async function membersOf(
  describe: DescribeGroup,
  signal: AbortSignal,
): Promise<readonly DescribedMember[] | undefined> {
  try {
    const { members } = await describe();
    return signal.aborted ? undefined : members;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}
