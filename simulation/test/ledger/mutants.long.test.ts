import { afterAll, describe, expect, test } from 'vitest';
import { hunt, isCaught } from '../../src/ledger/hunt.ts';
import { mutants } from '../../src/ledger/mutants.ts';
import { scenarioNamed } from '../../src/ledger/scenarios.ts';
import { killTimes, mutantTrial } from '../trial.ts';

describe('the simulation catches each mutant', () => {
  const lines: string[] = [];
  afterAll(() =>
    console.log(
      `simulated minutes until each mutant was caught, from seeds ${mutantTrial.seeds.join(', ')}:\n${lines.join('\n')}`,
    ),
  );

  test.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))(
    '%s: %s',
    (_rule, name, mutant) => {
      const outcomes = (mutant.seeds ?? mutantTrial.seeds).map((seed) =>
        hunt(mutant, seed, mutantTrial.ms),
      );
      lines.push(killTimes(name, outcomes));
      const missed = outcomes
        .filter((outcome) => !isCaught(mutant, outcome))
        .map(({ seed }) => seed);
      expect(
        missed,
        `${mutant.shows} has no violation in ${mutant.scenario} with these seeds`,
      ).toEqual([]);
    },
  );

  test('each mutant has a unique name, a rule and a known scenario', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    for (const { rule, scenario } of mutants) {
      expect(rule).toMatch(/^[RTLH]\d+$/);
      expect(scenarioNamed(scenario).name).toBe(scenario);
    }
  });
});
