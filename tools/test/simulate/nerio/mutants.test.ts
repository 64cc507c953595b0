import { afterAll, describe, expect, test } from 'vitest';
import { killTimes, mutantTrial } from '../../../../packages/testkit/test/simulation/trial.ts';
import { hunt } from '../../../src/simulate/nerio/hunt.ts';
import { mutantsOf } from '../../../src/simulate/nerio/mutants.ts';
import { scenarioNamed } from '../../../src/simulate/nerio/scenarios.ts';

const { seeds, ms } = mutantTrial;

describe.each(['drift', 'skew'] as const)('a mutant of Nerio is told from the protocol, where clocks are held to %s', (clocks) => {
  const mutants = mutantsOf(clocks);
  const told: string[] = [];
  afterAll(() =>
    console.log(`${clocks}: simulated minutes until each mutant was caught, from seeds ${seeds.join(', ')}:\n${told.join('\n')}`),
  );

  test.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))('%s: %s', (_rule, name, mutant) => {
    const outcomes = seeds.map((seed) => hunt(clocks, mutant, seed, ms));
    told.push(killTimes(name, outcomes));
    const missed = seeds.filter((_, index) => (outcomes[index]?.broken[mutant.shows] ?? 0) === 0);
    expect(missed, `${mutant.shows} was never seen broken in ${mutant.scenario} from these seeds`).toEqual([]);
  });

  test('its name is its own, and it names what it breaks', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    for (const { rule, scenario } of mutants) {
      expect(rule).toMatch(/^[LNRT]\d+$/);
      expect(scenarioNamed(clocks, scenario).name).toBe(scenario);
    }
  });
});
