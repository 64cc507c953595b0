import { describe, expect, test } from 'vitest';
import { scenarioNamed, scenarios } from '../../src/ledger/scenarios.ts';
import { simulate } from '../../src/ledger/simulate.ts';

const minute = 60_000;

describe('the protocol in the simulated world', () => {
  test.each(scenarios.map(({ name }) => name))(
    'has one leader at a time and growing tokens in ten minutes of %s',
    (name) => {
      const { broken, first } = simulate(scenarioNamed(name), 1, 10 * minute);
      expect(broken, first).toEqual({});
    },
  );

  test('has a leader almost all the time if only crashes happen', () => {
    const { leaderlessShare, renewalGaps, needlessMoves } = simulate(
      scenarioNamed('calm'),
      2,
      60 * minute,
    );
    expect(leaderlessShare).toBeLessThan(0.01);
    expect(renewalGaps).toBe(0);
    expect(needlessMoves).toBeLessThan(10);
  });
});

describe('the simulated world', () => {
  test('repeats a history bit for bit for the same seed', () => {
    const [once, again] = [1, 2].map(() => simulate(scenarioNamed('rainy'), 7, 5 * minute));
    expect(again).toEqual(once);
  });

  test('produces another history for another seed', () => {
    const [one, other] = [7, 8].map(
      (seed) => simulate(scenarioNamed('rainy'), seed, 5 * minute).historyHash,
    );
    expect(other).not.toBe(one);
  });

  test('produces another history under other rules', () => {
    const scenario = scenarioNamed('rainy');
    const { historyHash } = simulate(scenario, 7, 5 * minute, {
      ledger: { renewMs: (thresholdMs) => thresholdMs / 4 },
    });
    expect(historyHash).not.toBe(simulate(scenario, 7, 5 * minute).historyHash);
  });
});
