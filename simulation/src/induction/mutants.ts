// Every mutant of induction: the protocol with one rule replaced by a plausible mistake. `npm run
// simulate -- --mutant NAME` and the tests run worlds of each until the judge notices it.
import { inductionRules } from '@leadership/induction/internal/protocol';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './scenario.ts';

const { believeUntil, succeeds } = inductionRules;

/** All mutants that the simulation of induction catches. */
export const mutants: readonly Mutant<Overrides>[] = [
  // I1 and I3 to I6: which member leads, and until when.
  mutant('I1', 'belief-without-drift', 'expelled', 'exclusive', {
    does: 'believes for T by its own clock, without an allowance for drift',
    overrides: {
      rules: {
        believeUntil: (provedAt, self) => believeUntil(provedAt, { ...self, driftRate: 0 }),
      },
    },
    seeds: [13, 8, 22],
  }),
  mutant('I1', 'dropped-at-once', 'seamless', 'gap', {
    does: 'drops a partition as soon as it is assigned to another member, before that member leads',
    overrides: { rules: { whenSucceeded: () => 'drop' } },
  }),
  mutant('I1', 'drained-at-once', 'seamless', 'gap', {
    does: 'begins to drain as soon as the partition is assigned to another member, before that member leads',
    overrides: { rules: { whenSucceeded: () => 'drain' } },
    seeds: [7, 21, 23],
  }),
  mutant('I1', 'stops-for-a-candidate', 'handed-on', 'gap', {
    does: 'stops once its successor has been assigned the partition, before the successor leads',
    overrides: { rules: { takesOver: () => true } },
  }),
  mutant('I1', 'proves-on-after-its-loss', 'unreachable', 'overlap', {
    does: 'continues to prove its leadership after the partition was assigned to another member',
    overrides: { rules: { provesWhileFrozen: () => true } },
  }),
  mutant('I1', 'successor-unheeded', 'unreachable', 'overlap', {
    does: 'leads until the coordinator revokes the partition, and ignores the beats of its successor',
    overrides: {
      rules: {
        succeeds: (theirs, own, isAppointed) => !isAppointed && succeeds(theirs, own, isAppointed),
      },
    },
  }),
  mutant('I1', 'stale-successor-heeded', 'seamless', 'gap', {
    does: 'treats every member that beats as the owner as its successor, even an earlier owner',
    overrides: { rules: { succeeds: () => true } },
  }),
  mutant('I1', 'leads-on-unheard', 'unreachable', 'overlap', {
    does: 'continues to lead on the beats of others although its own beats do not arrive, beside the member that took over',
    overrides: { rules: { yieldsUnread: () => false } },
  }),
  mutant('H2', 'resigned-but-resumed', 'resigning', 'H2', {
    does: 'continues the term that it resigned if it is assigned the partition again, so that `resign` never resolves',
    overrides: { rules: { endsWhenResigned: () => false } },
    seeds: [21, 14, 31],
  }),
  mutant('I3', 'old-beats-prove', 'reordered', 'exclusive', {
    does: 'counts a beat that it sent under an earlier assignment',
    overrides: { rules: { outlastsAppointment: () => true } },
    seeds: [117, 80, 87],
  }),
  mutant('I3', 'begins-unheard', 'unreachable', 'overlap', {
    does: 'begins a term on the beats of others, before one of its own beats has arrived',
    overrides: { rules: { beginsUnread: () => true } },
    seeds: [4, 1, 5],
  }),
  mutant('I4', 'threshold-below-the-session', 'seamless', 'gap', {
    does: 'believes for less than the length of a session',
    overrides: {
      rules: {
        believeUntil: (provedAt, self) =>
          believeUntil(provedAt, { ...self, thresholdMs: 0.3 * self.thresholdMs }),
      },
    },
  }),
  mutant('I5', 'no-grace', 'honoured', 'exclusive', {
    does: 'leads as soon as it is assigned a partition, while its predecessor may still believe',
    overrides: { rules: { graceMs: () => 0 } },
  }),
  mutant('I5', 'grace-without-drift', 'expelled', 'exclusive', {
    does: 'waits for T by its own clock, without an allowance for drift',
    overrides: { rules: { graceMs: ({ thresholdMs }) => thresholdMs } },
  }),
  mutant('I5', 'threshold-above-the-grace', 'honoured', 'exclusive', {
    does: 'believes for longer than a new owner waits',
    overrides: {
      rules: {
        believeUntil: (provedAt, self) =>
          believeUntil(provedAt, { ...self, thresholdMs: 3 * self.thresholdMs }),
      },
    },
  }),
  mutant('I5', 'others-prove-exclusiveness', 'honoured', 'exclusive', {
    does: 'counts the beats of others under the exclusive promise, so that the beats of its successor prove its own leadership',
    overrides: { rules: { countsOthers: () => true } },
  }),
  mutant('I6', 'foreign-beats-counted', 'shared-topic', 'gap', {
    does: 'counts the beats of another group on the same topic',
    overrides: { rules: { isOurs: () => true } },
  }),
  mutant('I9', 'keeps-what-it-cannot-lead', 'unwritten', 'gap', {
    does: 'keeps its partitions although none of its beats comes back, and no other member leads them',
    overrides: { rules: { unreturnedMs: () => Number.POSITIVE_INFINITY } },
  }),
  mutant('I9', 'gives-up-too-late', 'unwritten', 'gap', {
    does: 'asks for another owner only when its own lease is over',
    overrides: { rules: { unreturnedMs: ({ thresholdMs }) => 0.95 * thresholdMs } },
  }),
  mutant('I9', 'tries-no-more', 'unwritten', 'I9', {
    does: 'does not try again whether its beats come back once another member owns the partition',
    overrides: { rules: { probeMs: () => Number.POSITIVE_INFINITY } },
  }),
  mutant('I9', 'returns-untried', 'refused', 'storm', {
    does: 'takes its partitions back before a beat of its own has come back',
    overrides: { rules: { awaitsReturn: () => false } },
  }),
  mutant('T1', 'tokens-by-the-wall-clock', 'seamless', 'gap', {
    does: 'uses the wall clock alone as the token, so that no term can begin after a step back',
    overrides: { rules: { token: (_previous, wallMicros) => BigInt(wallMicros) } },
  }),
  // I2: the publication time of a beat.
  mutant('I2', 'own-beats-by-receipt', 'starved', 'I2', {
    does: 'treats its own beat as published on arrival, so that the backlog of a starved member looks fresh',
    overrides: { rules: { ownPublishedAt: (_sent, receivedAt) => receivedAt } },
  }),
  mutant('I2', 'beats-by-receipt', 'skewed', 'I2', {
    does: 'treats the beats of others as published on arrival',
    overrides: { rules: { publishedAt: (_earliest, receivedAt) => receivedAt } },
  }),
  mutant('I2', 'no-drift-between-clocks', 'skewed', 'I2', {
    does: 'compares the clock of the broker once, and assumes that both clocks run at the same rate',
    overrides: { rules: { leastElapsedMs: (brokerMs) => brokerMs } },
  }),
  mutant('I2', 'clock-outlives-its-broker', 'skewed', 'I2', {
    does: 'keeps its bounds on the clock of one broker when another broker leads the partition',
    overrides: { rules: { afterRestart: (clock) => clock } },
    seeds: [17, 19, 4],
  }),
  mutant('I2', 'steps-unnoticed', 'stepping', 'I2', {
    does: 'keeps its bounds on a clock although one of its own beats contradicts them',
    overrides: { rules: { agrees: () => true } },
  }),
  mutant('I2', 'stamps-from-the-future', 'stepping', 'I2', {
    does: 'accepts a stamp that dates a beat after its own arrival',
    overrides: { rules: { isPossible: () => true } },
    seeds: [6, 11, 7],
  }),
];
