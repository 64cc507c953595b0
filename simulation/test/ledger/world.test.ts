import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { ledger } from '../../src/ledger/protocol.ts';
import type { Overrides } from '../../src/ledger/rules.ts';
import { keepsItsRules, minute, repeatsItsHistories } from '../worlds.ts';

function run(name: string, seed: number, ms: number, overrides?: Overrides) {
  return simulate(ledger, named(ledger.scenarios, name), seed, { ms }, overrides);
}

describe('the ledger lease in the simulated world', () => {
  keepsItsRules(
    'has one leader at a time and growing tokens in three minutes of %s',
    ledger,
    () => 3 * minute,
  );

  test('has a leader almost all the time if only crashes happen', () => {
    const { leaderlessShare, renewalGaps, needlessMoves } = run('calm', 2, 60 * minute);
    expect(leaderlessShare).toBeLessThan(0.01);
    expect(renewalGaps).toBe(0);
    expect(needlessMoves).toBeLessThan(10);
  });

  repeatsItsHistories(ledger, 'rainy', 5 * minute);

  test('has another history under other rules', () => {
    const { historyHash } = run('rainy', 7, 5 * minute, {
      rules: { renewMs: (thresholdMs) => thresholdMs / 4 },
    });
    expect(historyHash).not.toBe(run('rainy', 7, 5 * minute).historyHash);
  });
});
