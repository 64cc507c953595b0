// The optimisation of the published algorithm: a relay forwards its own bound on a clock when that
// is greater than the received one. A vote then rests on a fresher bound, and a leader believes for
// longer.
import { describe, expect, test } from 'vitest';
import { World } from '../support/world.ts';

/**
 * Twenty members in a ring, which reach only the next two on both sides. P is so short that votes
 * only just reach the leader in time.
 */
function ring(seed: number, isForwarding: boolean): World {
  const world = new World({
    seed,
    nodes: 20,
    voters: 5,
    thresholdMs: 8000,
    rules: isForwarding ? {} : { forwarded: (_estimate, received) => received },
    // The voters lie evenly on the ring.
    config: { voters: ['m0', 'm4', 'm8', 'm12', 'm16'], budget: 1200 },
  });
  world.names.forEach((a, i) => {
    world.names.forEach((b, j) => {
      const distance = Math.min((i - j + 20) % 20, (j - i + 20) % 20);
      if (distance > 2) world.cut(a, b);
    });
  });
  return world;
}

/** The share of five minutes in which no member led. */
function leaderlessShare(seed: number, isForwarding: boolean): number {
  const world = ring(seed, isForwarding);
  world.startAll();
  world.run(60_000);
  const ticks = 3000;
  let leaderless = 0;
  for (let tick = 0; tick < ticks; tick += 1) {
    world.run(100);
    if (world.leader() === undefined) leaderless += 1;
  }
  expect(world.violations).toEqual([]);
  return leaderless / ticks;
}

describe('relays that forward their own bounds (S3)', () => {
  test('lower the time without a leader', () => {
    const seeds = Array.from({ length: 32 }, (_, index) => index + 1);
    const meanOf = (isForwarding: boolean): number =>
      seeds.reduce((sum, seed) => sum + leaderlessShare(seed, isForwarding), 0) / seeds.length;
    const [forwarding, plain] = [meanOf(true), meanOf(false)];
    console.info(
      `without a leader: ${(100 * forwarding).toFixed(1)} % of the time with forwarding, ${(100 * plain).toFixed(1)} % without`,
    );
    expect(forwarding).toBeLessThan(plain);
  });
});
