import { LeadershipError } from '@leadership/core';
import { after, type Clock, pause } from '@leadership/core/backend';
import type { DescribedMember } from './group-port.ts';
import { type PlanOf, planIn } from './held-assigner.ts';
import type { Plan } from './plan.ts';

/** What asking for a plan needs. */
export interface AskPlanOptions {
  /** The group, as whoever takes itself for its coordinator describes it. */
  readonly describe: () => Promise<{ readonly members: readonly DescribedMember[] }>;
  readonly groupId: string;
  readonly planOf: PlanOf;
  /** Whether a plan was made after this member joined last. */
  readonly fits: (plan: Plan) => boolean;
  readonly clock: Clock;
  /** How often is asked at the least. Milliseconds. */
  readonly everyMs: number;
  /** Who has no plan by then has to join anew. Milliseconds. */
  readonly limitMs: number;
}

/** How soon is asked again at first: the group may be planning anew. Milliseconds. */
const askAgainMs = 50;

/**
 * What was planned for a member that has joined. Only the coordinator has what all members told, so it is asked; a broker that was it, and has
 * not heard yet that another one is, tells what was planned before. `undefined` once the signal aborts: whatever the answer, or the error,
 * it was another join's.
 */
export async function askPlan(options: AskPlanOptions, signal: AbortSignal): Promise<Plan | undefined> {
  const { describe, groupId, planOf, fits, clock, everyMs, limitMs } = options;
  const until = after(clock.now(), limitMs);
  for (let waitMs = askAgainMs; !signal.aborted; waitMs = Math.min(2 * waitMs, everyMs)) {
    const members = await membersOf(describe, signal);
    if (members === undefined) break;
    const plan = planIn(members, planOf);
    if (plan !== undefined && fits(plan)) return plan;
    if (clock.now() >= until) throw untold(groupId, plan?.strangers ?? []);
    await pause(clock, waitMs, signal);
  }
  return undefined;
}

/** A stranger that assigns knows nothing of what this election needs. */
function untold(groupId: string, strangers: readonly string[]): LeadershipError {
  const others = strangers.length > 0 ? `; it also has ${strangers.join(', ')}, not of this election` : '';
  return new LeadershipError('unreachable', `consumer group ${groupId}: its coordinator does not tell what was planned${others}`);
}

async function membersOf(describe: AskPlanOptions['describe'], signal: AbortSignal): Promise<readonly DescribedMember[] | undefined> {
  try {
    const { members } = await describe();
    return signal.aborted ? undefined : members;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}
