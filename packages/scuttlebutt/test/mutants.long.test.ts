import { describe, expect, test } from 'vitest';
import { runWithFaults } from './support/faults.ts';
import { faultsOf, mutants } from './support/mutants.ts';

describe('a wrong variant of each rule', () => {
  describe.each(mutants)('$rule $name: a member that $does', (mutant) => {
    test.each([1, 2])('is caught, from seed %i', (seed) => {
      const { world, rules, hours, shows } = mutant;
      const { violations } = runWithFaults(
        { ...world, seed, rules },
        hours,
        faultsOf(mutant),
        shows,
      );
      expect(violations).toContainEqual(expect.stringContaining(shows));
    });

    test('is not caught in the same world with the right rule', () => {
      const { violations } = runWithFaults({ ...mutant.world, seed: 9 }, 0.5, faultsOf(mutant));
      expect(violations).toEqual([]);
    });
  });
});
