import { expect, test } from 'vitest';
import { tour, usualSize } from '../../src/simulation.ts';

const hour = 3_600_000;

test.each([1, 2, 3, 4])('a hundred hours of every scenario break nothing, from seed %i', (seed) => {
  for (const { first, scenario, seed: world } of tour({ seed, ms: 100 * hour, size: usualSize })) {
    expect(first, `${scenario}, world ${world}`).toBeUndefined();
  }
});
