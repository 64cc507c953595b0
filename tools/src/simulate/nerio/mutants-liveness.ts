import type { Mutant } from './mutants.ts';

/** Mutants that nobody leads by, or not as soon as they might: N6, N7, N9, N10. A counter shows them. */
export const livenessMutants: readonly Mutant[] = [
  {
    name: 'no-queue',
    rule: 'N6',
    does: 'drops a request that comes before the lease has ended',
    clocks: 'both',
    scenario: 'moving',
    shows: 'slowHandoverShare',
    departure: { nerio: { queues: false } },
  },
  {
    name: 'hopes-in-vain',
    rule: 'N7',
    does: 'goes on with a round that cannot reach a quorum any more',
    clocks: 'both',
    scenario: 'urged',
    shows: 'vainShare',
    departure: { nerio: { isHopeless: () => false } },
  },
  {
    name: 'weak-leader-as-printed',
    rule: 'N9',
    does: 'tries only while its own vote is granted to another, as the paper prints it',
    clocks: 'both',
    scenario: 'calm',
    shows: 'leaderlessShare',
    departure: { nerio: { mayStart: (grantsToAnother) => grantsToAnother } },
  },
  {
    name: 'never-yields',
    rule: 'N9',
    does: 'tries again at once when a round has failed, before anyone else may',
    clocks: 'both',
    scenario: 'tied',
    shows: 'leaderlessShare',
    departure: { nerio: { yieldMs: () => 0 } },
  },
  {
    name: 'alive-though-deaf',
    rule: 'N9',
    does: 'takes a member that is heard for alive, though it hears nobody',
    clocks: 'both',
    scenario: 'deaf',
    shows: 'leaderlessShare',
    departure: { nerio: { isSignOfLife: () => true } },
  },
  {
    name: 'renews-too-late',
    rule: 'N10',
    does: 'begins to renew when there is no time for a round trip any more',
    clocks: 'both',
    scenario: 'calm',
    shows: 'renewalGaps',
    departure: { nerio: { renewAt: (_start, _leaseMs, until) => until - 1 } },
  },
];
