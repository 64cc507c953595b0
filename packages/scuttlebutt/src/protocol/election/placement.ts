// Decides which member should lead each partition (L9), by the balance that leases have. It depends
// on the candidates and their terms only, so members with the same knowledge agree.
import { Balance } from '@leadership/core/internal/engine';
import { type ElectionContext, type Peer, selfOf } from './context.ts';

/** Returns the candidate that should lead a partition after this member. */
export function successorFor(context: ElectionContext, partition: number): string | undefined {
  const balance = balanceOf(context, candidatesOf(context));
  const preferred = balance.at(partition, 0);
  return preferred === context.config.member ? balance.at(partition, 1) : preferred;
}

/** Returns the living members that stand, this one included. */
export function candidatesOf(context: ElectionContext): readonly string[] {
  const stands = ({ isAlive, declaration }: Peer): boolean =>
    isAlive && declaration?.candidacy?.stands.includes(true) === true;
  const others = [...context.roster.candidates()].filter(stands).map(({ member }) => member);
  const isCandidate = context.state.candidateStates.some((one) => one.isCampaigning);
  return isCandidate ? [...others, selfOf(context).member] : others;
}

/** Returns the balance of the partitions over these members. */
export function balanceOf({ state }: ElectionContext, members: readonly string[]): Balance {
  const balance = new Balance(state.leaders.length);
  state.leaders.forEach((leader, partition) => {
    if (leader) balance.hold(partition, { incarnation: leader.member, token: leader.token });
  });
  balance.members(members);
  balance.settle();
  return balance;
}
