import { describe, expect, test } from 'vitest';
import { hunt, isCaught, mutants, scenarioNamed } from '../../src/simulation.ts';
import { trial } from './trial.ts';

describe('a mutant is told from the protocol', () => {
  test.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))('%s: %s', (_rule, _name, mutant) => {
    const outcome = hunt(mutant, trial.seed, trial.ms);
    expect(isCaught(mutant, outcome), `${mutant.shows} was never seen broken in ${mutant.scenario}`).toBe(true);
  });

  test('its name is its own, and it names what it breaks', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    for (const { rule, scenario } of mutants) {
      expect(rule).toMatch(/^[RTLH]\d+$/);
      expect(scenarioNamed(scenario).name).toBe(scenario);
    }
  });
});
