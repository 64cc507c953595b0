import { describe, expect, test } from 'vitest';
import { huntInduction, inductionMutants, inductionScenarioNamed } from '../../src/simulation.ts';

/** Long enough for every mutant, from this seed; the protocol itself lives through more in `induction-hours.soak.test.ts`. */
const trial = { seed: 1, ms: 10 * 3_600_000 } as const;

describe('a mutant of induction is told from the protocol', () => {
  test.each(inductionMutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))('%s: %s', (_rule, _name, mutant) => {
    const { broken } = huntInduction(mutant, trial.seed, trial.ms);
    expect(broken[mutant.shows] ?? 0, `${mutant.shows} was never seen broken in ${mutant.scenario}`).toBeGreaterThan(0);
  });

  test('its name is its own, and it names what it breaks', () => {
    expect(new Set(inductionMutants.map(({ name }) => name)).size).toBe(inductionMutants.length);
    for (const { rule, scenario } of inductionMutants) {
      expect(rule).toMatch(/^[TI]\d$/);
      expect(inductionScenarioNamed(scenario).name).toBe(scenario);
    }
  });
});
