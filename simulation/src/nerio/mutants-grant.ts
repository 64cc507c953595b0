import { isBefore } from '@leadership/nerio/internal/protocol';
import type { Mutant } from './mutants.ts';

/** Mutants of requests and grants: N2 to N5. */
export const grantMutants: readonly Mutant[] = [
  {
    name: 'half-a-quorum',
    rule: 'N2',
    does: 'treats half of the voters, rounded down, as a quorum',
    clocks: 'both',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: {
      nerio: {
        holdsQuorum: ({ voters }, members) => 2 * bitsIn(members & voters) >= bitsIn(voters) - 1,
      },
    },
  },
  {
    name: 'late-start',
    rule: 'N2',
    does: 'believes from the arrival of the last grant, not from before the round began',
    clocks: 'drift',
    scenario: 'stormy',
    shows: 'N2',
    departure: {
      nerio: {
        believeUntil: (_start, leaseMs, self, completedAt) =>
          completedAt + (1 - self.driftRate) * leaseMs,
      },
    },
  },
  {
    name: 'no-drift-factor',
    rule: 'N2',
    does: 'ignores clock drift',
    clocks: 'drift',
    scenario: 'rainy',
    shows: 'N2',
    departure: {
      nerio: {
        believeUntil: (start, leaseMs) => start.at + leaseMs,
        grantUntil: (before, now, ask) => Math.max(before, now + ask.leaseMs),
      },
    },
  },
  {
    name: 'grant-that-shrinks',
    rule: 'N2',
    does: 'grants until the end of the latest request, although an earlier grant lasts longer',
    clocks: 'drift',
    scenario: 'stormy',
    shows: 'N2',
    departure: {
      nerio: { grantUntil: (_before, now, ask, self) => now + (1 + self.driftRate) * ask.leaseMs },
    },
  },
  {
    name: 'counts-old-replies',
    rule: 'N2',
    does: 'counts grants of an earlier round in the current round',
    clocks: 'both',
    scenario: 'stormy',
    shows: 'N2',
    departure: {
      nerio: { answers: (replied, start) => replied.incarnation === start.incarnation },
    },
  },
  {
    name: 'counts-late-replies',
    rule: 'N2',
    does: 'counts a late grant, which is still measured, in the current round',
    clocks: 'both',
    scenario: 'far-amnesiac',
    shows: 'N2',
    departure: {
      nerio: { answers: (replied, start) => replied.incarnation === start.incarnation },
    },
  },
  {
    name: 'no-mute-afar',
    rule: 'N4',
    does: 'grants at once after a restart, while answers of its previous life are in transit',
    clocks: 'both',
    scenario: 'far-amnesiac',
    shows: 'N2',
    departure: { nerio: { muteMs: () => 0 } },
  },
  {
    name: 'no-skew-margin',
    rule: 'N3',
    does: 'grants until the holder stops believing by its own clock, without an allowance for skew',
    clocks: 'skew',
    scenario: 'rainy',
    shows: 'N2',
    departure: {
      nerio: { grantUntil: (before, _now, ask) => Math.max(before, ask.start.at + ask.leaseMs) },
    },
  },
  {
    name: 'no-mute',
    rule: 'N4',
    does: 'grants at once after a restart, although it has forgotten its grants',
    clocks: 'both',
    scenario: 'amnesiac',
    shows: 'N2',
    departure: { nerio: { muteMs: () => 0 } },
  },
  {
    name: 'mute-for-a-lease',
    rule: 'N4',
    does: 'grants again after the longest lease, without an allowance for drift',
    clocks: 'drift',
    scenario: 'lone-voter',
    shows: 'N2',
    departure: { nerio: { muteMs: ({ leaseMsMax }) => leaseMsMax } },
  },
  {
    name: 'mute-without-skew',
    rule: 'N4',
    does: 'grants again after the longest lease, although its clock and the clock of the holder may have moved by Δ each',
    clocks: 'skew',
    scenario: 'lone-voter',
    shows: 'N2',
    departure: { nerio: { muteMs: ({ leaseMsMax }) => leaseMsMax } },
  },
  {
    name: 'release-without-the-round',
    rule: 'N5',
    does: 'clears a grant on the release of an earlier round, as if messages kept their order',
    clocks: 'both',
    scenario: 'stormy',
    shows: 'N2',
    departure: {
      nerio: { clears: ({ holder }, from) => holder?.incarnation === from.incarnation },
    },
  },
  {
    name: 'release-without-the-incarnation',
    rule: 'N5',
    does: 'clears the grant of one life of a member on the release of another life, whose clock is unrelated',
    clocks: 'drift',
    scenario: 'reborn',
    shows: 'N2',
    departure: {
      nerio: {
        clears: ({ holder, start }, from, release) =>
          holder?.member === from.member && !isBefore(release.start, start),
      },
    },
  },
  {
    name: 'released-rounds-forgotten',
    rule: 'N5',
    does: 'grants a request that arrives after its own release',
    clocks: 'both',
    scenario: 'stormy',
    shows: 'N5',
    departure: { nerio: { isReleased: () => false } },
  },
];

function bitsIn(members: number): number {
  let count = 0;
  for (let rest = members; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
