// Waits in a check for the leader after one that resigned.
import type { LeadershipSource } from '@leadership/core';
import type { CheckContext, Leading } from './check-context.ts';
import { Inconclusive } from './failure.ts';

/**
 * Resolves with the member of `others` that leads after `leader` has resigned: by default the others among
 * which the leader was found.
 * @throws Inconclusive if the former leader leads again because no other member claimed the partition
 * within T
 */
export async function successorOf(
  context: CheckContext,
  leader: Leading,
  others: readonly LeadershipSource[] = leader.others,
): Promise<Leading> {
  // Where the guarantee of `tokens` is `none`, a later term may have a lower token.
  const leadsAgain = (): boolean => (leader.role.term()?.token ?? leader.token) !== leader.token;
  await context.until(
    'another leads',
    () => others.some((other) => other.role(0).isLeading()) || leadsAgain(),
  );
  if (leadsAgain())
    throw new Inconclusive('a leader that had resigned leads again: no other member took over');
  return context.leader(others);
}
