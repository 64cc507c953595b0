import { describe, expect, test } from 'vitest';
import { scenarioNamed, scenarios, simulate } from '../../src/simulation.ts';
import { trial } from './trial.ts';

const minute = 60_000;

describe('the protocol in the simulated world', () => {
  test.each(scenarios.map(({ name }) => name))('leads at most once at a time, with tokens that grow, in an hour of %s', (name) => {
    const { broken, first } = simulate(scenarioNamed(name), trial.seed, trial.ms);
    expect(broken, first).toEqual({});
  });

  test('leads almost all the time when nothing but crashes happens', () => {
    const { leaderlessShare, renewalGaps, needlessMoves } = simulate(scenarioNamed('calm'), 2, 60 * minute);
    expect(leaderlessShare).toBeLessThan(0.01);
    expect(renewalGaps).toBe(0);
    expect(needlessMoves).toBeLessThan(10);
  });
});

describe('the simulated world', () => {
  test('repeats a history bit for bit from the same seed', () => {
    const [once, again] = [1, 2].map(() => simulate(scenarioNamed('rainy'), 7, 5 * minute));
    expect(again).toEqual(once);
  });

  test('lives another history from another seed', () => {
    const [one, other] = [7, 8].map((seed) => simulate(scenarioNamed('rainy'), seed, 5 * minute).historyHash);
    expect(other).not.toBe(one);
  });

  test('lives another history by other rules', () => {
    const scenario = scenarioNamed('rainy');
    const { historyHash } = simulate(scenario, 7, 5 * minute, { ledger: { renewMs: (thresholdMs) => thresholdMs / 4 } });
    expect(historyHash).not.toBe(simulate(scenario, 7, 5 * minute).historyHash);
  });
});
