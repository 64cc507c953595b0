import { describe, expect, test } from 'vitest';
import { runWithFaults } from './support/faults.ts';

/** `SCUTTLEBUTT_HOURS` multiplies the length of the runs, `SCUTTLEBUTT_SEED` starts elsewhere. */
const factor = Number(process.env['SCUTTLEBUTT_HOURS'] ?? 1);
const firstSeed = Number(process.env['SCUTTLEBUTT_SEED'] ?? 100);

const sizes = [
  { nodes: 3, voters: 3, partitions: 1, hours: 2 },
  { nodes: 5, voters: 5, partitions: 3, hours: 1 },
  { nodes: 20, voters: 5, partitions: 4, hours: 0.1 },
].flatMap((size) => [0, 1, 2].map((more) => ({ ...size, seed: firstSeed + more })));

describe('under every fault, for hours', () => {
  test.each(sizes)(
    '$nodes members, $voters voters, seed $seed: at most one leader (S5, T1)',
    ({ hours, ...size }) => {
      const { violations, leaderless, terms, steps } = runWithFaults(
        { ...size, loss: 0.1, duplicates: 0.05, wallSkewMs: 2000, delayMs: [1, 200] },
        hours * factor,
      );
      console.info(`${hours * factor} h, ${steps} steps, ${terms} terms`);
      expect(violations).toEqual([]);
      expect(leaderless, 'connected, and without a leader').toBe(0);
    },
    8 * 60_000 * factor,
  );
});
