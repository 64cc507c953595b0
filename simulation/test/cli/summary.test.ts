import { describe, expect, test } from 'vitest';
import { closing } from '../../src/cli/lines.ts';
import { protocols } from '../../src/cli/protocol.ts';
import type { Settings } from '../../src/cli/settings.ts';
import { summaryOf } from '../../src/cli/summary.ts';
import { inductionScenarioNamed } from '../../src/induction/scenarios.ts';
import { simulateInduction } from '../../src/induction/simulate.ts';
import { hunt } from '../../src/ledger/hunt.ts';
import { mutants } from '../../src/ledger/mutants.ts';
import { scenarioNamed } from '../../src/ledger/scenarios.ts';
import { simulate } from '../../src/ledger/simulate.ts';
import { usualSize } from '../../src/ledger/sized.ts';

const minute = 60_000;
const settings: Settings = {
  protocol: protocols[0],
  seed: 3,
  hours: 0.5,
  mutant: undefined,
  size: usualSize,
  json: true,
};

describe('the last line of the simulate command', () => {
  test('has exactly the fields that scripts rely on', () => {
    const outcome = simulate(scenarioNamed('calm'), 3, 10 * minute);
    expect(Object.keys(summaryOf(settings, [outcome], 2))).toEqual(
      'protocol seed mutant hours nodes partitions thresholdMs doubleLeaders tokenRegressions violations leaderlessShare needlessMoves historyHash cpuSeconds simulatedPerCpuSecond'.split(
        ' ',
      ),
    );
  });

  test('counts double leaders of a known gap, which are no violations', () => {
    const outcome = simulateInduction(inductionScenarioNamed('hole'), 3, 10 * minute);
    const { knownDoubleLeaders, doubleLeaders, violations } = summaryOf(
      settings,
      [outcome, outcome],
      2,
    );
    expect(knownDoubleLeaders).toBe(2 * outcome.knownDoubleLeaders);
    expect(knownDoubleLeaders).toBeGreaterThan(0);
    expect([doubleLeaders, violations]).toEqual([0, 0]);
  });

  test('adds up the worlds of a run', () => {
    const outcomes = [1, 2].map((seed) => simulate(scenarioNamed('calm'), seed, 10 * minute));
    const summary = summaryOf(settings, outcomes, 2);
    expect(summary).toMatchObject({
      seed: 3,
      mutant: null,
      hours: 0.333333,
      violations: 0,
      cpuSeconds: 2,
      simulatedPerCpuSecond: 600,
    });
    expect(summary.historyHash).toMatch(/^[0-9a-f]{16}$/);
    expect(summaryOf(settings, [...outcomes].reverse(), 2).historyHash).not.toBe(
      summary.historyHash,
    );
  });

  test('counts the violations of a mutant, and prints the command that reproduces them', () => {
    const mutant = mutants.find(({ name }) => name === 'no-drift-factor');
    if (mutant === undefined) throw new Error('unknown mutant "no-drift-factor"');
    const outcome = hunt(mutant, 3, 60 * minute);
    const summary = summaryOf({ ...settings, mutant }, [outcome], 2);
    expect(summary.violations).toBeGreaterThanOrEqual(summary.doubleLeaders);
    expect(summary.doubleLeaders).toBeGreaterThan(0);
    expect(closing({ ...settings, mutant }, outcome, summary)).toContain(
      '--seed 3 --mutant no-drift-factor',
    );
  });
});
