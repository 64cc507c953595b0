// A copy of a member. Its state is plain data beside two indexes of it, which are built again.
import { Balance, Due, type MemberState, placeHolder } from '@leadership/core/internal/sessions';

/** Returns a member that shares nothing with `state` but what never changes. */
export function copyOf(state: MemberState): MemberState {
  const { config, rules, position, due: _due, balance: _balance, ...plain } = state;
  const copy: MemberState = {
    ...structuredClone({ ...plain, outputs: [] }),
    config,
    rules,
    position,
    due: new Due(),
    balance: new Balance(config.partitions),
  };
  for (const partition of copy.partitions) placeHolder(copy, partition);
  copy.balance.members(copy.members, undefined, copy.limits);
  copy.balance.settle();
  for (const one of [...copy.partitions, ...copy.sessions.values()]) {
    const { dueAt } = one;
    one.dueAt = Number.POSITIVE_INFINITY as typeof dueAt;
    copy.due.set(one, dueAt);
  }
  return copy;
}
