import { inductionRules } from '@leadership/core/internal/induction';
import type { InductionMutant } from './mutants.ts';

const { believeUntil, succeeds } = inductionRules;

/** Mutants of I1 and I3 to I6: which member leads, and until when. */
export const tenureMutants: readonly InductionMutant[] = [
  {
    name: 'belief-without-drift',
    rule: 'I1',
    does: 'believes for T by its own clock, without an allowance for drift',
    scenario: 'expelled',
    shows: 'exclusive',
    departure: {
      believeUntil: (provedAt, self) => believeUntil(provedAt, { ...self, driftRate: 0 }),
    },
  },
  {
    name: 'dropped-at-once',
    rule: 'I1',
    does: 'drops a partition as soon as it is assigned to another member, before that member leads',
    scenario: 'seamless',
    shows: 'gap',
    departure: { whenSucceeded: () => 'drop' },
  },
  {
    name: 'drained-at-once',
    rule: 'I1',
    does: 'begins to drain as soon as the partition is assigned to another member, before that member leads',
    scenario: 'seamless',
    shows: 'gap',
    departure: { whenSucceeded: () => 'drain' },
  },
  {
    name: 'stops-for-a-candidate',
    rule: 'I1',
    does: 'stops once its successor has been assigned the partition, before the successor leads',
    scenario: 'handed-on',
    shows: 'gap',
    departure: { takesOver: () => true },
  },
  {
    name: 'proves-on-after-its-loss',
    rule: 'I1',
    does: 'continues to prove its leadership after the partition was assigned to another member',
    scenario: 'unreachable',
    shows: 'overlap',
    departure: { provesWhileFrozen: () => true },
  },
  {
    name: 'successor-unheeded',
    rule: 'I1',
    does: 'leads until the coordinator revokes the partition, and ignores the beats of its successor',
    scenario: 'unreachable',
    shows: 'overlap',
    departure: {
      succeeds: (theirs, own, isAppointed) => !isAppointed && succeeds(theirs, own, isAppointed),
    },
  },
  {
    name: 'stale-successor-heeded',
    rule: 'I1',
    does: 'treats every member that beats as the owner as its successor, even an earlier owner',
    scenario: 'seamless',
    shows: 'gap',
    departure: { succeeds: () => true },
  },
  {
    name: 'leads-on-unheard',
    rule: 'I1',
    does: 'continues to lead on the beats of others although its own beats do not arrive, beside the member that took over',
    scenario: 'unreachable',
    shows: 'overlap',
    departure: { yieldsUnheard: () => false },
  },
  {
    name: 'old-beats-prove',
    rule: 'I3',
    does: 'counts a beat that it sent under an earlier assignment',
    scenario: 'reordered',
    shows: 'exclusive',
    departure: { outlastsAppointment: () => true },
  },
  {
    name: 'begins-unheard',
    rule: 'I3',
    does: 'begins a term on the beats of others, before one of its own beats has arrived',
    scenario: 'unreachable',
    shows: 'overlap',
    departure: { beginsUnheard: () => true },
  },
  {
    name: 'threshold-below-the-session',
    rule: 'I4',
    does: 'believes for less than the length of a session',
    scenario: 'seamless',
    shows: 'gap',
    departure: {
      believeUntil: (provedAt, self) =>
        believeUntil(provedAt, { ...self, thresholdMs: 0.3 * self.thresholdMs }),
    },
  },
  {
    name: 'no-grace',
    rule: 'I5',
    does: 'leads as soon as it is assigned a partition, while its predecessor may still believe',
    scenario: 'honoured',
    shows: 'exclusive',
    departure: { graceMs: () => 0 },
  },
  {
    name: 'grace-without-drift',
    rule: 'I5',
    does: 'waits for T by its own clock, without an allowance for drift',
    scenario: 'expelled',
    shows: 'exclusive',
    departure: { graceMs: ({ thresholdMs }) => thresholdMs },
  },
  {
    name: 'threshold-above-the-grace',
    rule: 'I5',
    does: 'believes for longer than a new owner waits',
    scenario: 'honoured',
    shows: 'exclusive',
    departure: {
      believeUntil: (provedAt, self) =>
        believeUntil(provedAt, { ...self, thresholdMs: 3 * self.thresholdMs }),
    },
  },
  {
    name: 'others-prove-exclusiveness',
    rule: 'I5',
    does: 'counts the beats of others under the exclusive promise, so that the beats of its successor prove its own leadership',
    scenario: 'honoured',
    shows: 'exclusive',
    departure: { countsOthers: () => true },
  },
  {
    name: 'foreign-beats-counted',
    rule: 'I6',
    does: 'counts the beats of another group on the same topic',
    scenario: 'shared-topic',
    shows: 'gap',
    departure: { isOurs: () => true },
  },
  {
    name: 'tokens-by-the-wall-clock',
    rule: 'T1',
    does: 'uses the wall clock alone as the token, so that no term can begin after a step back',
    scenario: 'seamless',
    shows: 'gap',
    departure: { token: (_previous, wallMicros) => BigInt(wallMicros) },
  },
];
