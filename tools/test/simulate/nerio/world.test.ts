import { describe, expect, test } from 'vitest';
import { scenarioNamed, scenarios } from '../../../src/simulate/nerio/scenarios.ts';
import { simulateWhile, stretchMsOf } from '../../../src/simulate/nerio/simulate.ts';
import { slowToTell, trial } from './trial.ts';

const minute = 60_000;
/** To the end, whatever it comes to. */
const straight = (ms: number) => ({ ms, stretchMs: ms, goesOn: () => true });

describe.each(['drift', 'skew'] as const)('Nerio in the simulated world, where clocks are held to %s', (clocks) => {
  test.each(scenarios[clocks].map(({ name }) => name))('believes with a quorum of grants only, whatever happens in %s', (name) => {
    const scenario = scenarioNamed(clocks, name);
    // No less than what counters are judged by.
    const ms = Math.max(stretchMsOf(scenario), slowToTell.has(name) ? 2 * trial.ms : trial.ms);
    const { broken, first } = simulateWhile(scenario, trial.seed, straight(ms));
    expect(broken, first).toEqual({});
  });

  test('leads almost all the time when nothing but crashes happens', () => {
    const { leaderlessShare, renewalGaps, needlessMoves } = simulateWhile(scenarioNamed(clocks, 'calm'), 2, straight(60 * minute));
    expect(leaderlessShare).toBeLessThan(0.01);
    expect(renewalGaps).toBe(0);
    expect(needlessMoves).toBe(0);
  });

  test('repeats a history bit for bit from the same seed, and lives another from another', () => {
    const [once, again, other] = [7, 7, 8].map((seed) => simulateWhile(scenarioNamed(clocks, 'rainy'), seed, straight(5 * minute)));
    expect(again).toEqual(once);
    expect(other?.historyHash).not.toBe(once?.historyHash);
  });
});
