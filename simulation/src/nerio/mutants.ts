// Every mutant of Nerio: the protocol with one rule replaced by a plausible mistake. `npm run
// simulate -- --mutant NAME` and the tests run worlds of each until the judge notices it.
import { isBefore, meetsEveryQuorum } from '@leadership/nerio/internal/protocol';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';
import type { Scenario } from './scenario.ts';

/** Returns all mutants of one variant of the protocol that the simulation catches. */
export function mutantsOf(clocks: Scenario['clocks']): readonly Mutant<Overrides>[] {
  return all.filter(({ variant = clocks }) => variant === clocks);
}

const all: readonly Mutant<Overrides>[] = [
  // Requests and grants: N2 to N5.
  mutant('N2', 'half-a-quorum', 'rainy', 'exclusive', {
    does: 'treats half of the voters, rounded down, as a quorum',
    overrides: {
      rules: {
        holdsQuorum: ({ voters }, members) => 2 * bitsIn(members & voters) >= bitsIn(voters) - 1,
      },
    },
    seeds: [61, 31, 1],
  }),
  mutant('N2', 'late-start', 'stormy', 'N2', {
    does: 'believes from the arrival of the last grant, not from before the round began',
    overrides: {
      rules: {
        believeUntil: (_start, leaseMs, self, completedAt) =>
          completedAt + (1 - self.driftRate) * leaseMs,
      },
    },
    variant: 'drift',
  }),
  mutant('N2', 'no-drift-factor', 'rainy', 'N2', {
    does: 'ignores clock drift',
    overrides: {
      rules: {
        believeUntil: (start, leaseMs) => start.at + leaseMs,
        grantUntil: (before, now, request) => Math.max(before, now + request.leaseMs),
      },
    },
    variant: 'drift',
  }),
  mutant('N2', 'grant-that-shrinks', 'stormy', 'N2', {
    does: 'grants until the end of the latest request, although an earlier grant lasts longer',
    overrides: {
      rules: {
        grantUntil: (_before, now, request, self) => now + (1 + self.driftRate) * request.leaseMs,
      },
    },
    variant: 'drift',
  }),
  mutant('N2', 'counts-old-replies', 'stormy', 'N2', {
    does: 'counts grants of an earlier round in the current round',
    overrides: {
      rules: { answers: (replied, start) => replied.incarnation === start.incarnation },
    },
  }),
  mutant('N2', 'counts-late-replies', 'far-amnesiac', 'N2', {
    does: 'counts a late grant, which is still measured, in the current round',
    overrides: {
      rules: { answers: (replied, start) => replied.incarnation === start.incarnation },
    },
  }),
  mutant('N4', 'no-mute-afar', 'far-amnesiac', 'N2', {
    does: 'grants at once after a restart, while answers of its previous life are in transit',
    overrides: { rules: { muteMs: () => 0 } },
  }),
  mutant('N3', 'no-skew-margin', 'rainy', 'N2', {
    does: 'grants until the holder stops believing by its own clock, without an allowance for skew',
    overrides: {
      rules: {
        grantUntil: (before, _now, request) => Math.max(before, request.start.at + request.leaseMs),
      },
    },
    variant: 'skew',
  }),
  mutant('N4', 'no-mute', 'amnesiac', 'N2', {
    does: 'grants at once after a restart, although it has forgotten its grants',
    overrides: { rules: { muteMs: () => 0 } },
  }),
  mutant('N4', 'mute-for-a-lease', 'lone-voter', 'N2', {
    does: 'grants again after the longest lease, without an allowance for drift',
    overrides: { rules: { muteMs: ({ leaseMsMax }) => leaseMsMax } },
    variant: 'drift',
    seeds: [10, 23, 2],
  }),
  mutant('N4', 'mute-without-skew', 'lone-voter', 'N2', {
    does: 'grants again after the longest lease, although its clock and the clock of the holder may have moved by Δ each',
    overrides: { rules: { muteMs: ({ leaseMsMax }) => leaseMsMax } },
    variant: 'skew',
    seeds: [17, 38, 8],
  }),
  mutant('N5', 'release-without-the-round', 'stormy', 'N2', {
    does: 'clears a grant on the release of an earlier round, as if messages kept their order',
    overrides: {
      rules: { clears: ({ holder }, from) => holder?.incarnation === from.incarnation },
    },
  }),
  mutant('N5', 'release-without-the-incarnation', 'reborn', 'N2', {
    does: 'clears the grant of one life of a member on the release of another life, whose clock is unrelated',
    overrides: {
      rules: {
        clears: ({ holder, start }, from, release) =>
          holder?.member === from.member && !isBefore(release.start, start),
      },
    },
    variant: 'drift',
  }),
  mutant('N5', 'released-rounds-forgotten', 'stormy', 'N5', {
    does: 'grants a request that arrives after its own release',
    overrides: { rules: { isReleased: () => false } },
  }),
  // The leader and its reports about itself: T1, N8, N12, N16.
  mutant('T1', 'tokens-by-the-clock', 'rainy', 'N16', {
    does: 'uses the wall clock alone as the token',
    overrides: { rules: { token: (_previous, wallMicros) => BigInt(wallMicros) } },
    variant: 'drift',
  }),
  mutant('N16', 'tokens-unheard', 'stormy', 'N16', {
    does: 'leads with the token that it proposed, although its granters know of greater tokens',
    overrides: { rules: { outranks: () => true } },
    variant: 'drift',
  }),
  mutant('N16', 'tokens-from-an-amnesiac', 'torn', 'N16', {
    does: 'grants after a restart before it has learnt the granted tokens',
    overrides: { rules: { hasLearnt: () => true } },
    variant: 'drift',
  }),
  mutant('N8', 'edict-sent-late', 'rainy', 'N8', {
    does: 'sends an edict without a second look at the clock',
    overrides: { driver: { maySend: () => true } },
    seeds: [56, 67, 11],
  }),
  mutant('N8', 'stamped-on-arrival', 'busy-hand-overs', 'N8', {
    does: 'stamps the grant of a queued request with its time of arrival',
    overrides: { rules: { stampedAt: (granted, queued) => queued?.sample ?? granted } },
  }),
  mutant('N8', 'timestamps-across-lives', 'edicts', 'N8', {
    does: 'compares the clocks of two lives of a granter',
    overrides: { rules: { precedes: isBefore } },
    variant: 'drift',
  }),
  mutant('N12', 'verification-as-printed', 'rainy', 'N12', {
    does: 'relies on a leader by the formula as printed in the paper, with both signs wrong',
    overrides: {
      rules: {
        relies: (startedAt, remainderMs, now, self) =>
          startedAt + remainderMs * (self.driftRate - 1) < now,
      },
    },
    variant: 'drift',
  }),
  mutant('N12', 'verified-from-the-answer', 'verified', 'N12', {
    does: 'answers with the remaining time on its own clock, as if no clock were slower',
    overrides: {
      rules: {
        remainderMs: (beliefMs) => beliefMs,
        relies: (startedAt, remainderMs, now) => now < startedAt + remainderMs,
      },
    },
    variant: 'drift',
    seeds: [24, 7, 8],
  }),
  mutant('N12', 'promise-not-kept', 'verified', 'N12', {
    does: 'releases before its promise to a verifier has expired',
    overrides: { rules: { mayRelease: () => true } },
  }),
  // Membership change and durable state: N13, N4.
  mutant('N13', 'wedge-forgotten', 'torn-epochs', 'N13', {
    does: 'forgets its wedge in a restart, and grants in an epoch that it helped to end',
    overrides: { driver: { storedState: ({ epoch }) => ({ epoch, wedge: undefined }) } },
    variant: 'drift',
    worldMs: 300_000,
    seeds: [29, 31, 1],
  }),
  mutant('N13', 'wedge-while-leased', 'reconfigured', 'N2', {
    does: 'ends an epoch although the lease is granted',
    overrides: { rules: { mayWedge: () => true } },
  }),
  mutant('N13', 'epoch-without-a-quorum', 'reconfigured', 'N13', {
    does: 'begins the next epoch once any one voter is wedged, and wedges every voter that it can reach',
    overrides: { rules: { terminates: (_quorums, wedged) => wedged !== 0, canEnd: () => true } },
    worldMs: 300_000,
    seeds: [38, 37, 36],
  }),
  mutant('N4', 'new-in-every-epoch', 'diskless', 'N2', {
    does: 'grants at once in an epoch that it enters, although it has no directory and may have granted there before',
    overrides: { rules: { isNew: () => true } },
    worldMs: 1_200_000,
    seeds: [46, 37, 1],
  }),
  mutant('N13', 'loss-forgotten', 'torn-disks', 'N13', {
    does: 'takes part again in the first life that is not told of the loss of its directory',
    overrides: { driver: { storedState: ({ epoch, wedge }) => ({ epoch, wedge }) } },
    worldMs: 120_000,
  }),
  mutant('N13', 'epoch-by-hearsay', 'slandered', 'N13', {
    does: 'enters a later epoch because one member reports it',
    overrides: { rules: { isProven: () => true } },
    seeds: [12, 9, 69],
  }),
  mutant('R4', 'refuses-only-if-outvoted', 'redeployed', 'exclusive', {
    does: 'takes part beside members of another configuration, as long as a quorum of its own may follow',
    overrides: { rules: { refuses: meetsEveryQuorum } },
  }),
  mutant('R4', 'goes-on-beside-another-pin', 'redeployed', 'exclusive', {
    does: 'takes part regardless of the configuration of others',
    overrides: { rules: { refuses: () => false } },
  }),
  mutant('N4', 'proof-after-release', 'lone-slow-disk', 'exclusive', {
    does: 'reports a term once its grants are on disk, although it has released the term meanwhile',
    overrides: { driver: { proves: () => true } },
  }),
  // What never elects two leaders, but too often or too long none: N6, N7, N9, N10, N13, L9. A counter
  // shows each of them, such as the share of time without a leader.
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

function bitsIn(members: number): number {
  let count = 0;
  for (let rest = members; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
