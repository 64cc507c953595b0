// The state that a member must never forget (N13), and what happens if it does: its votes on
// changes of members. Part of the machine in `step.ts`.
import type { HardState, MemberState } from './state.ts';
import { isVoter, type StepContext } from './step-context.ts';

/** Whether forgotten commitments may bind this member in this epoch. */
export function isBarred({
  electorate,
  hardStateStatus,
  forgotThrough,
}: Pick<MemberState, 'electorate' | 'hardStateStatus' | 'forgotThrough'>): boolean {
  return hardStateStatus === 'lost' && electorate.number <= forgotThrough;
}

/**
 * Whether this member takes part in the end of the epoch: it must be a voter with complete stored
 * hard state.
 */
export function isBindable(state: MemberState): boolean {
  return isVoter(state) && state.hardStateStatus !== 'none' && !isBarred(state);
}

/** Returns the hard state that must be on disk in this state. */
export function hardStateOf(state: MemberState): HardState {
  const { electorate, wedge, forgotThrough } = state;
  const hardState = { epoch: electorate.epoch, wedge };
  return isBarred(state) ? { ...hardState, lostThrough: forgotThrough } : hardState;
}

/** Writes the hard state to disk before any later message is sent. */
export function persist({ state, outputs }: StepContext): void {
  outputs.push({ kind: 'persist', hardState: hardStateOf(state) });
}
