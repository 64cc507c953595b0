// Wrong versions of rules L3 to L7, about claiming and renewing a lease, which the simulation must
// catch.
import type { Instant } from '@leadership/core/adapter';
import { ledgerRules } from '@leadership/core/internal/ledger';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

const longAgo = Number.NEGATIVE_INFINITY as Instant;

/** Mutants of holding and claiming: L3 to L7. */
export const leaseMutants: readonly Mutant<Overrides>[] = [
  mutant('L3', 'deadline-from-the-reply', 'stormy', 'exclusive', {
    does: 'believes for T from the moment it reads the proof, not from before it sent the proof',
    overrides: {
      rules: {
        believeUntil: (_sentAt, seenAt, thresholdMs, driftRate) =>
          later(seenAt, thresholdMs * (1 - driftRate)),
      },
    },
  }),
  mutant('L3', 'no-drift-factor', 'rainy', 'exclusive', {
    does: 'ignores clock drift',
    overrides: {
      rules: {
        believeUntil: (sentAt, _seenAt, thresholdMs) => later(sentAt, thresholdMs),
        lapsesAt: (arrivedAt, thresholdMs) => later(arrivedAt, thresholdMs),
      },
    },
  }),
  mutant('L3', 'latest-send', 'rainy', 'exclusive', {
    does: 'has no id per attempt, and counts from its latest attempt after the same record',
    overrides: { rules: { proof: (_record, attempts) => attempts.at(-1) } },
  }),
  mutant('L3', 'acknowledgement-is-proof', 'rainy', 'exclusive', {
    does: 'treats an acknowledged append as a record in effect',
    overrides: { store: { appended: 'in-effect' } },
  }),
  mutant('L5', 'waits-from-the-request', 'rainy', 'exclusive', {
    does: 'counts the wait from the read request, not from the arrival of the reply',
    overrides: { store: { arrivedAt: (askedAt) => askedAt } },
  }),
  mutant('L5', 'claims-without-waiting', 'rainy', 'exclusive', {
    does: 'claims as soon as the leader is slightly late',
    overrides: {
      rules: { lapsesAt: (arrivedAt, thresholdMs) => later(arrivedAt, thresholdMs / 2) },
    },
  }),
  mutant('L5', 'claims-at-once-after-a-restart', 'rainy', 'exclusive', {
    does: 'treats the first record it reads as if it had arrived long ago',
    overrides: {
      rules: {
        afterReading: (readAt, before, shape) =>
          ledgerRules.afterReading(before === undefined ? longAgo : readAt, before, shape),
      },
    },
  }),
  mutant('L5', 'claims-an-empty-register-at-once', 'deleted', 'exclusive', {
    does: 'treats an empty register as proof that no member leads',
    overrides: { rules: { emptyMs: () => 0 } },
    seeds: [19, 11, 38],
  }),
  mutant('L4', 'late-renewal-revives', 'moving', 'T3', {
    does: 'believes again when a renewal lands after it decided to release',
    overrides: { rules: { whileReleasing: () => ({ kind: 'follower' }), begins: () => true } },
  }),
  mutant('L6', 'believes-until-released', 'moving', 'exclusive', {
    does: 'stops believing when it reads its release, not before it sends the release',
    overrides: { rules: { whileReleasing: (leaseState) => leaseState } },
  }),
  mutant('L7', 'delegate-from-the-receipt', 'stormy-moves', 'exclusive', {
    does: 'believes a delegated lease for T from the arrival of the release',
    overrides: {
      rules: {
        believeDelegatedUntil: (_request, record, self, seenAt) =>
          later(seenAt, record.thresholdMs * (1 - self.driftRate)),
      },
    },
  }),
  mutant('L7', 'delegate-by-its-own-t', 'several-thresholds', 'exclusive', {
    does: 'believes a delegated lease for its own T, while all others wait for the T of the release',
    overrides: {
      rules: {
        delegatedMs: (_request, self) => self.thresholdMs,
        believeDelegatedUntil: (request, _record, self) =>
          later(request.sentAt, self.thresholdMs * (1 - self.driftRate)),
      },
    },
  }),
];

function later(at: Instant, ms: number): Instant {
  return (at + ms) as Instant;
}
