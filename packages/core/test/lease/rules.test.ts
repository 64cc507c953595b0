import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaseRules } from '../../src/lease/rules.ts';
import type { Instant } from '../../src/time/instant.ts';

const thresholds = fc.double({ min: 50, max: 86_400_000, noNaN: true });
const drifts = fc.double({ min: 0, max: 0.499, noNaN: true });
const shares = fc.double({ min: 0, max: 1, noNaN: true });

describe('a session and the wait for its end', () => {
  it('never overlap, whatever the rates of the two clocks within ρ: others act after it is over (M2, M4)', () => {
    const holds = (thresholdMs: number, driftRate: number, a: number, b: number): boolean => {
      const at = 1e6 as Instant;
      const rate = (share: number): number => 1 - driftRate + 2 * driftRate * share;
      const validMs = (leaseRules.validUntil(at, at, thresholdMs, driftRate) - at) / rate(a);
      const waitedMs = (leaseRules.waitsUntil(at, thresholdMs, driftRate) - at) / rate(b);
      return validMs <= waitedMs + 1e-6;
    };
    fc.assert(fc.property(thresholds, drifts, shares, shares, holds));
  });

  it('do not depend on when the renewal was answered (M2)', () => {
    const [sent, early, late] = [0 as Instant, 1 as Instant, 900 as Instant];
    expect(leaseRules.validUntil(sent, early, 1000, 0.01)).toBe(990);
    expect(leaseRules.validUntil(sent, late, 1000, 0.01)).toBe(990);
  });
});
