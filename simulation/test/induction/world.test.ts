import { describe, expect, test } from 'vitest';
import { induction } from '../../src/induction/protocol.ts';
import { scenarios } from '../../src/induction/scenarios.ts';
import { named, type Outcome, simulate } from '../../src/kernel/protocol.ts';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { keepsItsRules, minute, outcomesOf, repeatsItsHistories } from '../worlds.ts';

const trial = { seed: 1, ms: 10 * minute } as const;

function run(name: string, seed: number, ms: number) {
  return simulate(induction, named(scenarios, name), seed, { ms });
}

describe('induction in the simulated world', () => {
  keepsItsRules('keeps its guarantees for a minute of %s', induction, () => minute);

  test('always has a leader per partition with one fault at a time and no crashes (I1, I4, I9)', () => {
    for (const name of ['seamless', 'handed-on', 'unwritten']) {
      const { longestGapMs, longestOverlapMs } = run(name, 2, trial.ms);
      expect(longestGapMs).toBe(0);
      expect(longestOverlapMs).toBeGreaterThan(0);
    }
  });

  test('counts double leaders without generations while only the coordinator is unreachable (I5)', () => {
    const { knownDoubleLeaders, doubleLeaders } = run('hole', trial.seed, trial.ms);
    expect(knownDoubleLeaders).toBeGreaterThan(10);
    expect(doubleLeaders).toBe(0);
  });

  test('has no double leaders with generations', () => {
    const numbered = { ...named(scenarios, 'hole'), numbered: 'at-once' } as const;
    const { knownDoubleLeaders, doubleLeaders } = simulate(induction, numbered, trial.seed, trial);
    expect([knownDoubleLeaders, doubleLeaders]).toEqual([0, 0]);
  });
});

describe('the simulated world of induction', () => {
  repeatsItsHistories(induction, 'weather', minute);

  test('repeats a single world for the same seed, and differs for another seed', async () => {
    const { runAll, usualSize: size } = simulationOf(induction);
    const run = (seed: number): Promise<Outcome[]> =>
      outcomesOf(runAll({ seed, ms: minute, size, scenario: 'weather' }));
    const [once, again, other] = [await run(7), await run(7), await run(8)];
    expect(again).toEqual(once);
    expect(other[0]?.historyHash).not.toBe(once[0]?.historyHash);
  });

  test('cycles through the scenarios, in any size', async () => {
    const { runAll, usualSize } = simulationOf(induction);
    const size = { nodes: 4, partitions: 2, thresholdMs: 3000 };
    const outcomes = await outcomesOf(runAll({ seed: 3, ms: 180 * minute, size }));
    expect(outcomes.map(({ scenario }) => scenario)).toEqual(
      scenarios.slice(0, 2).map(({ name }) => name),
    );
    for (const { broken, first } of outcomes) expect(broken, first).toEqual({});
    const [usual] = await outcomesOf(runAll({ seed: 3, ms: minute, size: usualSize }));
    expect(outcomes[0]?.historyHash).not.toBe(usual?.historyHash);
  });
});
