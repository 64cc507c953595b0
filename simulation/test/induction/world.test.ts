import { describe, expect, test } from 'vitest';
import { inductionScenarioNamed, inductionScenarios } from '../../src/induction/scenarios.ts';
import { simulateInduction } from '../../src/induction/simulate.ts';
import { tourInduction } from '../../src/induction/tour.ts';
import { usualSize } from '../../src/ledger/sized.ts';

const minute = 60_000;
const trial = { seed: 1, ms: 10 * minute } as const;

describe('induction in the simulated world', () => {
  test.each(inductionScenarios.map(({ name }) => name))(
    'keeps its guarantees for two minutes of %s',
    (name) => {
      const { broken, first } = simulateInduction(
        inductionScenarioNamed(name),
        trial.seed,
        2 * minute,
      );
      expect(broken, first).toEqual({});
    },
  );

  test('always has a leader per partition with one fault at a time and no crashes (I1, I4)', () => {
    for (const name of ['seamless', 'handed-on']) {
      const { longestGapMs, longestOverlapMs } = simulateInduction(
        inductionScenarioNamed(name),
        2,
        trial.ms,
      );
      expect(longestGapMs).toBe(0);
      expect(longestOverlapMs).toBeGreaterThan(0);
    }
  });

  test('counts double leaders without generations while only the coordinator is unreachable (I5)', () => {
    const { knownDoubleLeaders, doubleLeaders } = simulateInduction(
      inductionScenarioNamed('hole'),
      trial.seed,
      trial.ms,
    );
    expect(knownDoubleLeaders).toBeGreaterThan(10);
    expect(doubleLeaders).toBe(0);
  });

  test('has no double leaders with generations', () => {
    const numbered = { ...inductionScenarioNamed('hole'), numbered: 'at-once' } as const;
    const { knownDoubleLeaders, doubleLeaders } = simulateInduction(numbered, trial.seed, trial.ms);
    expect([knownDoubleLeaders, doubleLeaders]).toEqual([0, 0]);
  });
});

describe('the simulated world of induction', () => {
  test('repeats a history for the same seed, and differs for another seed', () => {
    const [once, again, other] = [7, 7, 8].map((seed) =>
      simulateInduction(inductionScenarioNamed('weather'), seed, 5 * minute),
    );
    expect(again).toEqual(once);
    expect(other?.historyHash).not.toBe(once?.historyHash);
  });

  test('cycles through the scenarios, in any size', () => {
    const size = { nodes: 4, partitions: 2, thresholdMs: 3000 };
    const outcomes = [...tourInduction({ seed: 3, ms: 60 * minute, size })];
    expect(outcomes.map(({ scenario }) => scenario)).toEqual(
      inductionScenarios.slice(0, 2).map(({ name }) => name),
    );
    for (const { broken, first } of outcomes) expect(broken, first).toEqual({});
    expect(outcomes[0]?.historyHash).not.toBe(
      [...tourInduction({ seed: 3, ms: minute, size: usualSize })][0]?.historyHash,
    );
  });
});
