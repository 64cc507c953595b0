// Vows: the permanent commitments of a member (N13), and their loss.
import type { HardState, MemberState } from './state.ts';
import { isVoter, type StepContext } from './step-context.ts';

/** Whether forgotten commitments may bind this member in this epoch. */
export function isBarred({
  electorate,
  vows,
  forgotThrough,
}: Pick<MemberState, 'electorate' | 'vows' | 'forgotThrough'>): boolean {
  return vows === 'lost' && electorate.number <= forgotThrough;
}

/**
 * Whether this member takes part in the end of the epoch: it must be a voter with complete stored
 * vows.
 */
export function isBindable(state: MemberState): boolean {
  return isVoter(state) && state.vows !== 'none' && !isBarred(state);
}

/** Returns the vow that must be on disk in this state. */
export function hardStateOf(state: MemberState): HardState {
  const { electorate, wedge, forgotThrough } = state;
  const vow = { epoch: electorate.epoch, wedge };
  return isBarred(state) ? { ...vow, lostThrough: forgotThrough } : vow;
}

/** Writes the vow to disk before any later message is sent. */
export function persist({ state, outputs }: StepContext): void {
  outputs.push({ kind: 'persist', vow: hardStateOf(state) });
}
