import { describe, expect, test } from 'vitest';
import { hunt } from '../../../src/simulate/nerio/hunt.ts';
import { mutantsOf } from '../../../src/simulate/nerio/mutants.ts';
import { scenarioNamed } from '../../../src/simulate/nerio/scenarios.ts';
import { trial } from './trial.ts';

describe.each(['drift', 'skew'] as const)('a mutant of Nerio is told from the protocol, where clocks are held to %s', (clocks) => {
  const mutants = mutantsOf(clocks);

  test.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))('%s: %s', (_rule, _name, mutant) => {
    const { broken } = hunt(clocks, mutant, trial.seed, trial.mutantMs);
    expect(broken[mutant.shows] ?? 0, `${mutant.shows} was never seen broken in ${mutant.scenario}`).toBeGreaterThan(0);
  });

  test('its name is its own, and it names what it breaks', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    for (const { rule, scenario } of mutants) {
      expect(rule).toMatch(/^[LNRT]\d+$/);
      expect(scenarioNamed(clocks, scenario).name).toBe(scenario);
    }
  });
});
