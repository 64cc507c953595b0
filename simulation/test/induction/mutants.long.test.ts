import { afterAll, describe, expect, test } from 'vitest';
import { huntInduction } from '../../src/induction/hunt.ts';
import { inductionMutants } from '../../src/induction/mutants.ts';
import { inductionScenarioNamed } from '../../src/induction/scenarios.ts';
import { killTimes, mutantTrial } from '../trial.ts';

describe('the simulation catches each mutant of induction', () => {
  const lines: string[] = [];
  afterAll(() =>
    console.log(
      `simulated minutes until each mutant was caught, from seeds ${mutantTrial.seeds.join(', ')}:\n${lines.join('\n')}`,
    ),
  );

  test.each(inductionMutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))(
    '%s: %s',
    (_rule, name, mutant) => {
      const outcomes = mutantTrial.seeds.map((seed) => huntInduction(mutant, seed, mutantTrial.ms));
      lines.push(killTimes(name, outcomes));
      const missed = outcomes
        .filter(({ broken }) => (broken[mutant.shows] ?? 0) === 0)
        .map(({ seed }) => seed);
      expect(
        missed,
        `${mutant.shows} has no violation in ${mutant.scenario} with these seeds`,
      ).toEqual([]);
    },
  );

  test('each mutant has a unique name, a rule and a known scenario', () => {
    expect(new Set(inductionMutants.map(({ name }) => name)).size).toBe(inductionMutants.length);
    for (const { rule, scenario } of inductionMutants) {
      expect(rule).toMatch(/^[TI]\d$/);
      expect(inductionScenarioNamed(scenario).name).toBe(scenario);
    }
  });
});
