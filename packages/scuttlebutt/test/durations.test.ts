import { describe, expect, test } from 'vitest';
import { leaderlessMs, thresholdMsMin } from '../src/protocol.ts';
import { World } from './support/world.ts';

describe('durations (S6)', () => {
  test('P must allow a change to reach all members', () => {
    expect(thresholdMsMin({ intervalMs: 1000, fanout: 3 }, 100)).toBeCloseTo(16_288, 0);
    expect(thresholdMsMin({ intervalMs: 1000, fanout: 3 }, 3)).toBeLessThan(6200);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'a crash is followed by the next leader in the stated time (seed %i)',
    (seed) => {
      const world = new World({ seed, nodes: 5, voters: 3, delayMs: [1, 20] });
      world.startAll();
      world.run(30_000);
      const leader = world.leader();
      if (leader === undefined) throw new Error('no leader');
      world.kill(leader);
      const { config } = world.process(leader);
      // Suspicion begins with the interval in which the leader died.
      const most = leaderlessMs(config, 40) + config.electionMs + config.intervalMs;
      expect(world.run(most, () => world.leader() !== undefined)).toBe(true);
      expect(world.violations).toEqual([]);
    },
  );
});
