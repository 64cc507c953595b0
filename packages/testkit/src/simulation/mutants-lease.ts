import { ledgerRules } from '@leadership/core/engine';
import type { Local } from './clock.ts';
import type { Mutant } from './mutants.ts';

const longAgo = Number.NEGATIVE_INFINITY as Local;

/** Mutants of holding and claiming: L3 to L7. */
export const leaseMutants: readonly Mutant[] = [
  {
    name: 'deadline-from-the-reply',
    rule: 'L3',
    does: 'believes for T from when the proof was seen, not from before it was sent',
    scenario: 'stormy',
    shows: 'exclusive',
    departure: { ledger: { believeUntil: (_sentAt, seenAt, thresholdMs, driftRate) => later(seenAt, thresholdMs * (1 - driftRate)) } },
  },
  {
    name: 'no-drift-factor',
    rule: 'L3',
    does: 'takes every clock for a right one',
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
    does: 'has no id per attempt, and counts from the latest that named the same record',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { ledger: { proof: (_record, attempts) => attempts.at(-1) } },
  },
  {
    name: 'acknowledgement-is-proof',
    rule: 'L3',
    does: 'takes an append that was acknowledged for one that took effect',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { host: { appended: 'in-effect' } },
  },
  {
    name: 'waits-from-the-request',
    rule: 'L5',
    does: 'counts the wait from when it asked for news, not from when the news arrived',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { host: { arrivedAt: (askedAt) => askedAt } },
  },
  {
    name: 'claims-without-waiting',
    rule: 'L5',
    does: 'claims as soon as the leader is a moment late',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { ledger: { lapsesAt: (arrivedAt, thresholdMs) => later(arrivedAt, thresholdMs / 2) } },
  },
  {
    name: 'claims-at-once-after-a-restart',
    rule: 'L5',
    does: 'takes what it reads first for as old as it may be',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: {
      ledger: {
        afterReading: (readAt, before, shape) => ledgerRules.afterReading(before === undefined ? longAgo : readAt, before, shape),
      },
    },
  },
  {
    name: 'claims-an-empty-register-at-once',
    rule: 'L5',
    does: 'takes nothing in effect for nobody there',
    scenario: 'deleted',
    shows: 'exclusive',
    departure: { ledger: { emptyMs: () => 0 } },
  },
  {
    name: 'late-renewal-revives',
    rule: 'L4',
    does: 'believes again when a renewal lands after the release was decided',
    scenario: 'moving',
    shows: 'T3',
    departure: { ledger: { whileReleasing: () => ({ kind: 'follower' }), begins: () => true } },
  },
  {
    name: 'believes-until-released',
    rule: 'L6',
    does: 'stops believing when it sees its release, not before it sends it',
    scenario: 'moving',
    shows: 'exclusive',
    departure: { ledger: { whileReleasing: (tenure) => tenure } },
  },
  {
    name: 'delegate-from-the-receipt',
    rule: 'L7',
    does: 'believes a delegated lease for T from when the release arrived',
    scenario: 'stormy-moves',
    shows: 'exclusive',
    departure: {
      ledger: { believeDelegatedUntil: (_want, record, self, seenAt) => later(seenAt, record.thresholdMs * (1 - self.driftRate)) },
    },
  },
  {
    name: 'delegate-by-its-own-t',
    rule: 'L7',
    does: 'believes a delegated lease for its own T, while all others wait for that of the release',
    scenario: 'several-thresholds',
    shows: 'exclusive',
    departure: {
      ledger: {
        delegatedMs: (_want, self) => self.thresholdMs,
        believeDelegatedUntil: (want, _record, self) => later(want.sentAt, self.thresholdMs * (1 - self.driftRate)),
      },
    },
  },
];

function later(at: Local, ms: number): Local {
  return (at + ms) as Local;
}
