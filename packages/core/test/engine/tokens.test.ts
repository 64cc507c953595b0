import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leavesRoom, nextToken } from '../../src/engine/tokens.ts';

describe('a token (T1)', () => {
  it('exceeds the previous one, is never below the wall clock, and fits a signed 64-bit column', () => {
    const holds = (previous: bigint, wallMicros: number): boolean => {
      const token = nextToken(previous, wallMicros);
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

  it('leaves room for later ones thousands of years ahead, because clocks are wrong, and not at the end of the column', () => {
    const wallMicros = 1_700_000_000_000_000;
    expect(leavesRoom(BigInt(wallMicros) * 100n, wallMicros)).toBe(true);
    expect(leavesRoom(2n ** 63n - 1n, wallMicros)).toBe(false);
  });
});
