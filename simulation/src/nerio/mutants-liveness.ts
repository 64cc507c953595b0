// Wrong versions of Nerio that never elect two leaders, but too often or too long none: the
// simulation must catch them by a counter, such as the share of time without a leader.
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

/**
 * Mutants that prevent or delay leadership: N6, N7, N9, N10, N13, L9. A counter shows each of them.
 */
export const livenessMutants: readonly Mutant<Overrides>[] = [
  mutant('N6', 'no-queue', 'moving', 'slowHandoverShare', {
    does: 'drops a request that arrives before the end of the lease',
    overrides: { rules: { queues: false } },
  }),
  mutant('N7', 'continues-hopeless-round', 'urged', 'failedCampaignShare', {
    does: 'continues a round that can no longer reach a quorum',
    overrides: { rules: { isHopeless: () => false } },
  }),
  mutant('N9', 'weak-leader-as-printed', 'calm', 'leaderlessShare', {
    does: 'campaigns only while its own vote is granted to another, as printed in the paper',
    overrides: { rules: { mayStart: (grantsToAnother) => grantsToAnother } },
  }),
  mutant('N9', 'never-yields', 'tied', 'leaderlessShare', {
    does: 'tries again at once after a failed round, before any other member may',
    overrides: { rules: { yieldMs: () => 0 } },
  }),
  mutant('N9', 'alive-though-deaf', 'deaf', 'leaderlessShare', {
    does: 'treats a member that sends as alive, although that member receives nothing',
    overrides: { rules: { isSignOfLife: () => true } },
  }),
  mutant('N13', 'wedges-without-looking', 'unendable', 'leaderlessShare', {
    does: 'wedges every voter that it can reach although no quorum can be wedged, so that too few are left to elect and the epoch never ends',
    overrides: { rules: { canEnd: () => true } },
  }),
  mutant('N10', 'renews-too-late', 'calm', 'renewalGaps', {
    does: 'starts a renewal too late for a round trip',
    overrides: { rules: { renewAt: (_start, _leaseMs, until) => until - 1 } },
  }),
  mutant('L9', 'takes-as-much', 'shared', 'sharingMoves', {
    does: 'requests a partition from a member that leads only one more, which merely swaps the two counts',
    overrides: { rules: { mayTake: (mine, theirs) => theirs > mine } },
  }),
  mutant('L9', 'never-takes', 'shared', 'unevenShare', {
    does: 'never requests a partition from a member that leads more',
    overrides: { rules: { mayTake: () => false } },
  }),
];
