// Whether the beats of this member come back (I9). A member that may not write, or that the partition's
// broker does not answer, keeps its place at the coordinator: it asks for another owner itself. Part
// of the machine in `step.ts`.
import { after } from '@leadership/core/internal/engine';
import type { Sent } from './state.ts';
import type { StepContext } from './step-context.ts';

/**
 * Notes before the next beat that too many of the earlier ones are missing for too long. A process that
 * was paused has sent only a few in that time: what it has not read yet says nothing.
 */
export function judgeReturns(context: StepContext): void {
  const { state, rules, outputs, now } = context;
  const limitMs = rules.unreturnedMs(state.self);
  const isOld = ({ sentAt }: Sent): boolean => now >= after(sentAt, limitMs);
  if (state.unreturned || now < after(state.ownProvedAt, limitMs)) return;
  const missing = state.sent.filter(({ sentAt }) => sentAt > state.ownProvedAt);
  const leastMissing = Math.max(2, limitMs / state.self.beatMs / 2);
  if (missing.length < leastMissing || !missing.some(isOld)) return;
  state.unreturned = true;
  outputs.push({ kind: 'unreturned', on: true });
}

/** Returns whether a beat came back so soon that the next ones may prove leadership. */
export function returnsSoon({ state, rules, now }: StepContext, { sentAt }: Sent): boolean {
  return now < after(sentAt, rules.returnWithinMs(state.self));
}

/** Notes that beats come back, or that this member needs none. */
export function noteReturn({ state, outputs }: StepContext): void {
  if (!state.unreturned) return;
  state.unreturned = false;
  outputs.push({ kind: 'unreturned', on: false });
}
