import { describe, expect, test } from 'vitest';
import { thresholdMsMin } from '../src/protocol.ts';
import { World } from './support/world.ts';

/** The greatest delay of a message. */
const delayMsMax = 20;

describe('durations (S6)', () => {
  test('P must allow a change to reach all members', () => {
    expect(thresholdMsMin({ intervalMs: 1000, fanout: 3 }, 100)).toBeCloseTo(16_288, 0);
    expect(thresholdMsMin({ intervalMs: 1000, fanout: 3 }, 3)).toBeLessThan(6200);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'a crash is followed by the next leader in the stated time (seed %i)',
    (seed) => {
      const world = new World({ seed, nodes: 5, voters: 3, delayMs: [1, delayMsMax] });
      world.startAll();
      world.run(30_000);
      const leader = world.leader();
      if (leader === undefined) throw new Error('no leader');
      world.kill(leader);
      const { config } = world.process(leader);
      const { thresholdMs, driftRate, intervalMs, electionMs } = config;
      // The interval in which the leader died, four of silence, P by the slowest clock, a renewal,
      // and three messages: a vote, an accepted claim, and the vote that shows it.
      const detectionMs = intervalMs + 4 * electionMs;
      const most = detectionMs + thresholdMs / (1 - driftRate) + electionMs + 3 * delayMsMax;
      expect(world.run(most, () => world.leader() !== undefined)).toBe(true);
      expect(world.violations).toEqual([]);
    },
  );
});
