// How long gossip takes to reach, suspect and elect (S6), for the checks of options and for what
// the package guarantees. Rule numbers such as S6: docs/reference/rules.md.

import type { MemberConfig } from './state.ts';

/** The rounds of {@link roundsToReachAll} hold for this number of peers in each round. */
export const fanoutMeasured = 3;

/**
 * The rounds in which a change reaches all members in 99 of 100 cases, with three peers in each
 * round. `convergence.long.test.ts` holds it for 100 members, also with 10 % loss.
 */
export function roundsToReachAll(members: number): number {
  return 2 * Math.log2(Math.max(2, members)) + 3;
}

/**
 * The least P for which votes reach a leader before they are too old, if voters and candidates
 * reach each other only through others (S6). With a shorter one there may never be a leader.
 */
export function thresholdMsMin(
  { intervalMs, fanout }: Pick<MemberConfig, 'intervalMs' | 'fanout'>,
  members: number,
): number {
  // News spread by a factor of about one more than the fan-out in a round. A smaller one than
  // measured takes more rounds; a greater one is not credited.
  const slower = Math.log2(1 + fanoutMeasured) / Math.log2(1 + fanout);
  return roundsToReachAll(members) * Math.max(1, slower) * intervalMs;
}
