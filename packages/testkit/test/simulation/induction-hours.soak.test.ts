import { expect, test } from 'vitest';
import { tourInduction, usualSize } from '../../src/simulation.ts';

const hour = 3_600_000;

test.each([1, 2, 3, 4])('a hundred hours of every kind of induction break nothing, from seed %i', (seed) => {
  for (const { first, scenario, seed: world } of tourInduction({ seed, ms: 100 * hour, size: usualSize })) {
    expect(first, `${scenario}, world ${world}`).toBeUndefined();
  }
});
