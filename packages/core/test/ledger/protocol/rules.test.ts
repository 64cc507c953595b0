import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerRules } from '../../../src/ledger/protocol/rules.ts';
import type { Instant } from '../../../src/time/instant.ts';

const thresholds = fc.double({ min: 50, max: 86_400_000, noNaN: true });
const drifts = fc.double({ min: 0, max: 0.499, noNaN: true });
const shares = fc.double({ min: 0, max: 1, noNaN: true });

describe('lease and wait', () => {
  it('never overlap, whatever the rates of the two clocks within ρ: the claim is sent after the lease has ended (L3, L5)', () => {
    const holds = (thresholdMs: number, driftRate: number, a: number, b: number): boolean => {
      const at = 1e6 as Instant;
      const rate = (share: number): number => 1 - driftRate + 2 * driftRate * share;
      const believedMs = (ledgerRules.believeUntil(at, at, thresholdMs, driftRate) - at) / rate(a);
      const waitedMs = (ledgerRules.lapsesAt(at, thresholdMs, driftRate) - at) / rate(b);
      return believedMs <= waitedMs + 1e-6;
    };
    fc.assert(fc.property(thresholds, drifts, shares, shares, holds));
  });

  it('do not depend on when the proof was seen (L3)', () => {
    const [sent, early, late] = [0, 1, 900] as Instant[];
    expect(ledgerRules.believeUntil(sent as Instant, early as Instant, 1000, 0.01)).toBe(990);
    expect(ledgerRules.believeUntil(sent as Instant, late as Instant, 1000, 0.01)).toBe(990);
  });
});

describe('a token (T1)', () => {
  it('exceeds the previous one, is never below the wall clock, and fits a signed 64-bit column', () => {
    const holds = (previous: bigint, wallMicros: number): boolean => {
      const token = ledgerRules.token(previous, wallMicros);
      return (
        token > previous &&
        token >= BigInt(wallMicros) &&
        (token === previous + 1n || token === BigInt(wallMicros))
      );
    };
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 62n }),
        fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        holds,
      ),
    );
    // The wall clock's microseconds are exact until the year 2255.
    expect(BigInt(Date.UTC(2255, 0) * 1000)).toBeLessThan(2n ** 53n);
  });
});

describe('the stagger of stand-ins (L9)', () => {
  it('grows with the rank and stays within 4 % of T, because fail-over has 5 % to spare', () => {
    const self = { thresholdMs: 1000, jitter: 0.999 } as Parameters<
      typeof ledgerRules.staggerMs
    >[1];
    const staggers = [0, 1, 2, 3, 100].map((rank) => ledgerRules.staggerMs(rank, self));
    expect(staggers[0]).toBe(0);
    expect([...staggers].sort((a, b) => a - b)).toEqual(staggers);
    expect(Math.max(...staggers)).toBeLessThan(40);
  });
});

describe('members that do not know each other yet (L9)', () => {
  it('claim one after the other, each about its share, instead of everything at once', () => {
    const [members, partitions, thresholdMs, updateMs] = [50, 512, 3000, 30];
    // The values that members use: anything in [0, 1).
    const jitters = Array.from({ length: members }, (_, index) => (index * 0.754877666 + 0.1) % 1);
    const shares = jitters.map(() => 0);
    let claims = 0;
    for (let partition = 0; partition < partitions; partition += 1) {
      const claimMs = jitters.map((jitter) =>
        ledgerRules.unrankedMs(partition, { thresholdMs, jitter }),
      );
      const first = Math.min(...claimMs);
      claims += claimMs.filter((ms) => ms <= first + updateMs).length;
      shares[claimMs.indexOf(first)] = (shares[claimMs.indexOf(first)] ?? 0) + 1;
    }
    expect(claims).toBeLessThan(4 * partitions);
    expect(Math.max(...shares)).toBeLessThan((3 * partitions) / members);
  });
});
