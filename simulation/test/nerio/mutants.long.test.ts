import { afterAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/ledger/simulate.ts';
import { hunt } from '../../src/nerio/hunt.ts';
import { mutantsOf } from '../../src/nerio/mutants.ts';
import { scenarioNamed } from '../../src/nerio/scenarios.ts';
import { killTimes, mutantTrial } from '../trial.ts';

const { seeds, ms } = mutantTrial;
/**
 * Number of seeds that must expose a mutant. Some mutants survive for hours, so the third seed is
 * for a mutant that escapes once.
 */
const seedsToCatch = 2;

describe.each(['drift', 'skew'] as const)(
  'the simulation catches each mutant of Nerio (%s)',
  (clocks) => {
    const mutants = mutantsOf(clocks);
    const lines: string[] = [];
    afterAll(() =>
      console.log(
        `${clocks}: simulated minutes until each mutant was caught, from seeds ${seeds.join(', ')}:\n${lines.join('\n')}`,
      ),
    );

    test.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))(
      '%s: %s',
      (_rule, name, mutant) => {
        const outcomes: Outcome[] = [];
        const caught = (): number =>
          outcomes.filter(({ broken }) => (broken[mutant.shows] ?? 0) > 0).length;
        for (const seed of seeds)
          if (caught() < seedsToCatch) outcomes.push(hunt(clocks, mutant, seed, ms));
        lines.push(killTimes(name, outcomes));
        expect(
          caught(),
          `${mutant.shows} must have a violation in ${mutant.scenario} with two seeds`,
        ).toBe(seedsToCatch);
      },
    );

    test('each mutant has a unique name, a rule and a known scenario', () => {
      expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
      for (const { rule, scenario } of mutants) {
        expect(rule).toMatch(/^[LNRT]\d+$/);
        expect(scenarioNamed(clocks, scenario).name).toBe(scenario);
      }
    });
  },
);
