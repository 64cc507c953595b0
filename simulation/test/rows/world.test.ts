import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import type { Overrides } from '../../src/rows/mutants.ts';
import { rows } from '../../src/rows/protocol.ts';
import { scenarios } from '../../src/rows/scenarios.ts';

const minute = 60_000;

/** Seeds and minutes in which some world once missed something. */
const looks = [
  [1, 16],
  [4, 1],
] as const;

function run(name: string, seed: number, ms: number, overrides?: Overrides) {
  return simulate(rows, named(scenarios, name), seed, { ms }, overrides);
}

describe('the protocol in the simulated world', () => {
  test.each(scenarios.map(({ name }) => name))(
    'has one leader at a time and growing tokens in three minutes of %s',
    (name) => {
      const { broken, first } = run(name, 1, 3 * minute);
      expect(broken, first).toEqual({});
    },
  );

  test('has led partitions, and even shares, after each quiet time of an hour', () => {
    const world = rows.newWorld(named(scenarios, 'register'), 2, undefined);
    runUntil(world, 60 * minute);
    expect(world.judge.settled).toBe(6);
    expect(Object.fromEntries(world.judge.broken)).toEqual({});
  });

  test.each(scenarios)('misses nothing that a second look would find in $name', (scenario) => {
    const looking = { ...scenario, looksTwice: true };
    for (const [seed, minutes] of looks) {
      const { broken, first } = simulate(rows, looking, seed, { ms: minutes * minute });
      expect(broken, first).toEqual({});
    }
  });
});

describe('the simulated world', () => {
  test('repeats a history bit for bit for the same seed', () => {
    const [once, again] = [1, 2].map(() => run('register', 7, 5 * minute));
    expect(again).toEqual(once);
  });

  test('produces another history for another seed', () => {
    const [one, other] = [7, 8].map((seed) => run('register', seed, 5 * minute).historyHash);
    expect(other).not.toBe(one);
  });

  test('produces another history under other rules', () => {
    const { historyHash } = run('register', 7, 5 * minute, {
      rules: { freshMs: (thresholdMs) => thresholdMs / 2 },
    });
    expect(historyHash).not.toBe(run('register', 7, 5 * minute).historyHash);
  });
});
