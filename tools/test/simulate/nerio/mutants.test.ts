import type { Outcome } from '@leadership/testkit/simulation';
import { afterAll, describe, expect, test } from 'vitest';
import { killTimes, mutantTrial } from '../../../../packages/testkit/test/simulation/trial.ts';
import { hunt } from '../../../src/simulate/nerio/hunt.ts';
import { mutantsOf } from '../../../src/simulate/nerio/mutants.ts';
import { scenarioNamed } from '../../../src/simulate/nerio/scenarios.ts';

const { seeds, ms } = mutantTrial;
/** From how many of the seeds a mutant must be caught. Some live for hours, so the third seed is for those that escape once. */
const seedsToCatch = 2;

describe.each(['drift', 'skew'] as const)('a mutant of Nerio is told from the protocol, where clocks are held to %s', (clocks) => {
  const mutants = mutantsOf(clocks);
  const told: string[] = [];
  afterAll(() =>
    console.log(`${clocks}: simulated minutes until each mutant was caught, from seeds ${seeds.join(', ')}:\n${told.join('\n')}`),
  );

  test.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))('%s: %s', (_rule, name, mutant) => {
    const outcomes: Outcome[] = [];
    const caught = (): number => outcomes.filter(({ broken }) => (broken[mutant.shows] ?? 0) > 0).length;
    for (const seed of seeds) if (caught() < seedsToCatch) outcomes.push(hunt(clocks, mutant, seed, ms));
    told.push(killTimes(name, outcomes));
    expect(caught(), `${mutant.shows} must be seen broken in ${mutant.scenario} from two seeds`).toBe(seedsToCatch);
  });

  test('its name is its own, and it names what it breaks', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    for (const { rule, scenario } of mutants) {
      expect(rule).toMatch(/^[LNRT]\d+$/);
      expect(scenarioNamed(clocks, scenario).name).toBe(scenario);
    }
  });
});
