import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beaten, newPulse, type Pulse, phi } from '../../src/engine/detector.ts';

const expectedMs = 100;

function pulseAfter(intervals: readonly number[]): Pulse {
  let now = 0;
  let pulse = newPulse(now, expectedMs);
  for (const interval of intervals) {
    now += interval;
    pulse = beaten(pulse, now, expectedMs);
  }
  return pulse;
}

describe('phi-accrual detection (S2)', () => {
  test('suspects when phi reaches 8, for any distribution of answers', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 20, max: 300, noNaN: true }), { maxLength: 30 }),
        (intervals) => {
          const pulse = pulseAfter(intervals);
          expect(phi(pulse, pulse.suspectAt, expectedMs)).toBeCloseTo(8, 2);
        },
      ),
    );
  });

  test('suspicion grows with the silence', () => {
    const pulse = pulseAfter([100, 90, 110, 100, 100]);
    const grows = [0, 50, 100, 150, 200, 300].map((ms) =>
      phi(pulse, pulse.lastSignAt + ms, expectedMs),
    );
    expect(grows).toEqual(grows.toSorted((a, b) => a - b));
    expect(grows[0]).toBeLessThan(0.01);
  });

  test('waits longer for a member that answers irregularly', () => {
    const [regular, irregular] = [
      pulseAfter(Array(30).fill(100)),
      pulseAfter(Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? 40 : 160))),
    ];
    expect(irregular.suspectAt - irregular.lastSignAt).toBeGreaterThan(
      1.3 * (regular.suspectAt - regular.lastSignAt),
    );
  });

  test('detects the death of a regular member within 1.8 intervals', () => {
    const pulse = pulseAfter(Array(30).fill(100));
    expect(pulse.suspectAt - pulse.lastSignAt).toBeLessThan(180);
  });

  test('forgets the answers before a death', () => {
    const pulse = pulseAfter([...Array<number>(30).fill(100), 10_000]);
    expect(pulse).toEqual(newPulse(pulse.lastSignAt, expectedMs));
  });
});
