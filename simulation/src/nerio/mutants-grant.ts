// Wrong versions of rules N2 to N5, about the votes that grant a lease, which the simulation must
// catch.
import { isBefore } from '@leadership/nerio/internal/protocol';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

/** Mutants of requests and grants: N2 to N5. */
export const grantMutants: readonly Mutant<Overrides>[] = [
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
];

function bitsIn(members: number): number {
  let count = 0;
  for (let rest = members; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
