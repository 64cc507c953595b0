// What a member has bound itself to for ever (N13), and may have forgotten.
import type { MemberState, Vow } from './state.ts';
import { isVoter, type Turn } from './turn.ts';

/** Whether this member may be bound, in this epoch, to what it has forgotten. */
export function isBarred({ electorate, vows, forgotThrough }: Pick<MemberState, 'electorate' | 'vows' | 'forgotThrough'>): boolean {
  return vows === 'lost' && electorate.number <= forgotThrough;
}

/** Whether this member takes part in how the epoch ends: only a voter that will not forget what it has bound itself to. */
export function isBindable(state: MemberState): boolean {
  return isVoter(state) && state.vows !== 'none' && !isBarred(state);
}

/** What must be on disk of it, as things are. */
export function vowOf(state: MemberState): Vow {
  const { electorate, wedge, forgotThrough } = state;
  const vow = { epoch: electorate.epoch, wedge };
  return isBarred(state) ? { ...vow, lostThrough: forgotThrough } : vow;
}

/** Has it put there before anything that follows is said. */
export function persist({ state, outputs }: Turn): void {
  outputs.push({ kind: 'persist', vow: vowOf(state) });
}
