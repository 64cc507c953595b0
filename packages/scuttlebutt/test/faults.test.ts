import { describe, expect, test } from 'vitest';
import { runWithFaults } from './support/faults.ts';

const sizes = [
  { nodes: 3, voters: 3, partitions: 1, hours: 0.3 },
  { nodes: 5, voters: 5, partitions: 3, hours: 0.2 },
  { nodes: 8, voters: 3, partitions: 2, hours: 0.1 },
];

describe('under every fault', () => {
  test.each(sizes)(
    '$nodes members, $voters voters: at most one leader of $partitions partitions (S5, T1)',
    ({ hours, ...size }) => {
      const { violations, leaderless, terms } = runWithFaults(
        { ...size, seed: 1, loss: 0.1, duplicates: 0.05, wallSkewMs: 2000, delayMs: [1, 200] },
        hours,
      );
      expect(violations).toEqual([]);
      expect(leaderless, 'connected, and without a leader').toBe(0);
      expect(terms).toBeGreaterThan(5);
    },
  );
});
