import { describe, expect, test } from 'vitest';
import { closing, speedLine } from '../../src/cli/lines.ts';
import type { Settings } from '../../src/cli/settings.ts';
import { simulations } from '../../src/cli/simulations.ts';
import { summaryOf } from '../../src/cli/summary.ts';
import { induction } from '../../src/induction/protocol.ts';
import { scenarios as inductionScenarios } from '../../src/induction/scenarios.ts';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { mutants } from '../../src/rows/mutants.ts';
import { rows } from '../../src/rows/protocol.ts';
import { usualSize } from '../../src/rows/scenario.ts';
import { scenarios } from '../../src/rows/scenarios.ts';

const minute = 60_000;
const settings: Settings = {
  protocol: simulations[0],
  seed: 3,
  hours: 0.5,
  mutant: undefined,
  size: usualSize,
  json: true,
};

describe('the last line of the simulate command', () => {
  test('has exactly the fields that scripts rely on', () => {
    const outcome = simulate(rows, named(scenarios, 'register'), 3, { ms: minute });
    expect(Object.keys(summaryOf(settings, [outcome], 2))).toEqual(
      'protocol seed mutant hours nodes partitions thresholdMs doubleLeaders tokenRegressions violations checkedSteps leaderlessShare needlessMoves historyHash cpuSeconds simulatedPerCpuSecond'.split(
        ' ',
      ),
    );
  });

  test('counts double leaders of a known gap, but not as violations', () => {
    const outcome = simulate(induction, named(inductionScenarios, 'hole'), 3, {
      ms: 10 * minute,
    });
    const { knownDoubleLeaders, doubleLeaders, violations } = summaryOf(
      settings,
      [outcome, outcome],
      2,
    );
    expect(knownDoubleLeaders).toBe(2 * (outcome.knownDoubleLeaders ?? 0));
    expect(knownDoubleLeaders).toBeGreaterThan(0);
    expect([doubleLeaders, violations]).toEqual([0, 0]);
  });

  test('adds up the worlds of a run', () => {
    const outcomes = [1, 2].map((seed) =>
      simulate(rows, named(scenarios, 'register'), seed, { ms: 1.5 * minute }),
    );
    const summary = summaryOf(settings, outcomes, 2);
    expect(summary).toMatchObject({
      seed: 3,
      mutant: null,
      hours: 0.05,
      violations: 0,
      cpuSeconds: 2,
      simulatedPerCpuSecond: 90,
    });
    expect(summary.historyHash).toMatch(/^[0-9a-f]{16}$/);
    expect(summaryOf(settings, [...outcomes].reverse(), 2).historyHash).not.toBe(
      summary.historyHash,
    );
  });

  test('adds up the speed of the worlds of each scenario', () => {
    const [calm, other] = ['register', 'register'].map((name) =>
      simulate(rows, named(scenarios, name), 1, { ms: minute }),
    );
    if (calm === undefined || other === undefined) throw new Error('two worlds ran');
    expect(speedLine([calm, other], [0.1, 0.2])).toBe(
      'simulated seconds in a second of CPU: register 400',
    );
  });

  test('counts the violations of a mutant, and prints the command that reproduces them', async () => {
    const mutant = named(mutants, 'no-drift-at-the-owner');
    const outcome = await simulations[0].findViolation(mutant.name, 3, 60 * minute);
    const summary = summaryOf({ ...settings, mutant }, [outcome], 2);
    expect(summary.violations).toBeGreaterThanOrEqual(summary.doubleLeaders);
    expect(summary.doubleLeaders).toBeGreaterThan(0);
    expect(closing({ ...settings, mutant }, outcome, summary)).toContain(
      '--seed 3 --mutant no-drift-at-the-owner',
    );
  });
});
