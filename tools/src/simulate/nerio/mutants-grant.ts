import { isBefore } from '@leadership/nerio/protocol';
import type { Mutant } from './mutants.ts';

/** Mutants of asking and granting: N2 to N5. */
export const grantMutants: readonly Mutant[] = [
  {
    name: 'half-a-quorum',
    rule: 'N2',
    does: 'takes half of the voters for a quorum, rounded down',
    clocks: 'both',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { nerio: { holdsQuorum: ({ voters }, members) => 2 * bitsIn(members & voters) >= bitsIn(voters) - 1 } },
  },
  {
    name: 'late-start',
    rule: 'N2',
    does: 'believes from when the last grant was heard of, not from before the round began',
    clocks: 'drift',
    scenario: 'stormy',
    shows: 'N2',
    departure: { nerio: { believeUntil: (_start, leaseMs, self, completedAt) => completedAt + (1 - self.driftRate) * leaseMs } },
  },
  {
    name: 'no-drift-factor',
    rule: 'N2',
    does: 'takes every clock for a right one',
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
    does: 'grants until what the latest request asks for, although an earlier one was granted for longer',
    clocks: 'drift',
    scenario: 'stormy',
    shows: 'N2',
    departure: { nerio: { grantUntil: (_before, now, ask, self) => now + (1 + self.driftRate) * ask.leaseMs } },
  },
  {
    name: 'counts-old-replies',
    rule: 'N2',
    does: 'counts grants of an earlier round for the one that runs',
    clocks: 'both',
    scenario: 'stormy',
    shows: 'N2',
    departure: { nerio: { answers: (replied, start) => replied.incarnation === start.incarnation } },
  },
  {
    name: 'counts-late-replies',
    rule: 'N2',
    does: 'counts a late grant, which is still measured, for the round that runs',
    clocks: 'both',
    scenario: 'far-amnesiac',
    shows: 'N2',
    departure: { nerio: { answers: (replied, start) => replied.incarnation === start.incarnation } },
  },
  {
    name: 'no-mute-afar',
    rule: 'N4',
    does: 'grants at once after a restart, while answers that it gave in its former life are on their way',
    clocks: 'both',
    scenario: 'far-amnesiac',
    shows: 'N2',
    departure: { nerio: { muteMs: () => 0 } },
  },
  {
    name: 'no-skew-margin',
    rule: 'N3',
    does: 'grants until the holder believes by its own clock, which the voter takes for its own',
    clocks: 'skew',
    scenario: 'rainy',
    shows: 'N2',
    departure: { nerio: { grantUntil: (before, _now, ask) => Math.max(before, ask.start.at + ask.leaseMs) } },
  },
  {
    name: 'no-mute',
    rule: 'N4',
    does: 'grants at once after a restart, whatever it has forgotten',
    clocks: 'both',
    scenario: 'amnesiac',
    shows: 'N2',
    departure: { nerio: { muteMs: () => 0 } },
  },
  {
    name: 'mute-for-a-lease',
    rule: 'N4',
    does: 'grants again after the longest lease, by a clock that may be fast',
    clocks: 'drift',
    scenario: 'lone-voter',
    shows: 'N2',
    departure: { nerio: { muteMs: ({ leaseMsMax }) => leaseMsMax } },
  },
  {
    name: 'mute-without-skew',
    rule: 'N4',
    does: 'grants again after the longest lease, though its clock and that of the holder may have moved by Δ each',
    clocks: 'skew',
    scenario: 'lone-voter',
    shows: 'N2',
    departure: { nerio: { muteMs: ({ leaseMsMax }) => leaseMsMax } },
  },
  {
    name: 'release-without-the-round',
    rule: 'N5',
    does: 'gives up a grant for a release of an earlier round, as if messages kept their order',
    clocks: 'both',
    scenario: 'stormy',
    shows: 'N2',
    departure: { nerio: { clears: ({ holder }, from) => holder?.incarnation === from.incarnation } },
  },
  {
    name: 'release-without-the-incarnation',
    rule: 'N5',
    does: 'gives up the grant of one life of a member for a release by another, whose clock says nothing about it',
    clocks: 'drift',
    scenario: 'reborn',
    shows: 'N2',
    departure: {
      nerio: { clears: ({ holder, start }, from, release) => holder?.member === from.member && !isBefore(release.start, start) },
    },
  },
  {
    name: 'released-rounds-forgotten',
    rule: 'N5',
    does: 'grants a request that comes after its own release',
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
