import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { ledger } from '../../src/ledger/protocol.ts';
import type { Overrides } from '../../src/ledger/rules.ts';
import { scenarios } from '../../src/ledger/scenarios.ts';

const minute = 60_000;

function run(name: string, seed: number, ms: number, overrides?: Overrides) {
  return simulate(ledger, named(scenarios, name), seed, { ms }, overrides);
}

describe('the protocol in the simulated world', () => {
  test.each(scenarios.map(({ name }) => name))(
    'has one leader at a time and growing tokens in three minutes of %s',
    (name) => {
      const { broken, first } = run(name, 1, 3 * minute);
      expect(broken, first).toEqual({});
    },
  );

  test('has a leader almost all the time if only crashes happen', () => {
    const { leaderlessShare, renewalGaps, needlessMoves } = run('calm', 2, 60 * minute);
    expect(leaderlessShare).toBeLessThan(0.01);
    expect(renewalGaps).toBe(0);
    expect(needlessMoves).toBeLessThan(10);
  });
});

describe('the simulated world', () => {
  test('repeats a history bit for bit for the same seed', () => {
    const [once, again] = [1, 2].map(() => run('rainy', 7, 5 * minute));
    expect(again).toEqual(once);
  });

  test('produces another history for another seed', () => {
    const [one, other] = [7, 8].map((seed) => run('rainy', seed, 5 * minute).historyHash);
    expect(other).not.toBe(one);
  });

  test('produces another history under other rules', () => {
    const { historyHash } = run('rainy', 7, 5 * minute, {
      rules: { renewMs: (thresholdMs) => thresholdMs / 4 },
    });
    expect(historyHash).not.toBe(run('rainy', 7, 5 * minute).historyHash);
  });
});
