import { ledgerRules } from '@leadership/core/internal/ledger';
import type { Local } from '../kernel/clock.ts';
import type { Mutant } from './mutants.ts';

const longAgo = Number.NEGATIVE_INFINITY as Local;

/** Mutants of holding and claiming: L3 to L7. */
export const leaseMutants: readonly Mutant[] = [
  {
    name: 'deadline-from-the-reply',
    rule: 'L3',
    does: 'believes for T from the moment it reads the proof, not from before it sent the proof',
    scenario: 'stormy',
    shows: 'exclusive',
    departure: {
      ledger: {
        believeUntil: (_sentAt, seenAt, thresholdMs, driftRate) =>
          later(seenAt, thresholdMs * (1 - driftRate)),
      },
    },
  },
  {
    name: 'no-drift-factor',
    rule: 'L3',
    does: 'ignores clock drift',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: {
      ledger: {
        believeUntil: (sentAt, _seenAt, thresholdMs) => later(sentAt, thresholdMs),
        lapsesAt: (arrivedAt, thresholdMs) => later(arrivedAt, thresholdMs),
      },
    },
  },
  {
    name: 'latest-send',
    rule: 'L3',
    does: 'has no id per attempt, and counts from its latest attempt after the same record',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { ledger: { proof: (_record, attempts) => attempts.at(-1) } },
  },
  {
    name: 'acknowledgement-is-proof',
    rule: 'L3',
    does: 'treats an acknowledged append as a record in effect',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { host: { appended: 'in-effect' } },
  },
  {
    name: 'waits-from-the-request',
    rule: 'L5',
    does: 'counts the wait from the read request, not from the arrival of the reply',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { host: { arrivedAt: (askedAt) => askedAt } },
  },
  {
    name: 'claims-without-waiting',
    rule: 'L5',
    does: 'claims as soon as the leader is slightly late',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: {
      ledger: { lapsesAt: (arrivedAt, thresholdMs) => later(arrivedAt, thresholdMs / 2) },
    },
  },
  {
    name: 'claims-at-once-after-a-restart',
    rule: 'L5',
    does: 'treats the first record it reads as if it had arrived long ago',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: {
      ledger: {
        afterReading: (readAt, before, shape) =>
          ledgerRules.afterReading(before === undefined ? longAgo : readAt, before, shape),
      },
    },
  },
  {
    name: 'claims-an-empty-register-at-once',
    rule: 'L5',
    does: 'treats an empty register as proof that no member leads',
    scenario: 'deleted',
    shows: 'exclusive',
    departure: { ledger: { emptyMs: () => 0 } },
  },
  {
    name: 'late-renewal-revives',
    rule: 'L4',
    does: 'believes again when a renewal lands after it decided to release',
    scenario: 'moving',
    shows: 'T3',
    departure: { ledger: { whileReleasing: () => ({ kind: 'follower' }), begins: () => true } },
  },
  {
    name: 'believes-until-released',
    rule: 'L6',
    does: 'stops believing when it reads its release, not before it sends the release',
    scenario: 'moving',
    shows: 'exclusive',
    departure: { ledger: { whileReleasing: (tenure) => tenure } },
  },
  {
    name: 'delegate-from-the-receipt',
    rule: 'L7',
    does: 'believes a delegated lease for T from the arrival of the release',
    scenario: 'stormy-moves',
    shows: 'exclusive',
    departure: {
      ledger: {
        believeDelegatedUntil: (_want, record, self, seenAt) =>
          later(seenAt, record.thresholdMs * (1 - self.driftRate)),
      },
    },
  },
  {
    name: 'delegate-by-its-own-t',
    rule: 'L7',
    does: 'believes a delegated lease for its own T, while all others wait for the T of the release',
    scenario: 'several-thresholds',
    shows: 'exclusive',
    departure: {
      ledger: {
        delegatedMs: (_want, self) => self.thresholdMs,
        believeDelegatedUntil: (want, _record, self) =>
          later(want.sentAt, self.thresholdMs * (1 - self.driftRate)),
      },
    },
  },
];

function later(at: Local, ms: number): Local {
  return (at + ms) as Local;
}
