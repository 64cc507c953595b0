import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { rows } from '../../src/rows/protocol.ts';
import { keepsItsRules, minute, repeatsItsHistories } from '../worlds.ts';
import { lookingTwice } from './looking-twice.ts';

const register = named(rows.scenarios, 'register');

describe('leases by session in the simulated world', () => {
  keepsItsRules(
    'has one leader at a time and growing tokens in half a minute of %s, and misses nothing that a second look would find',
    lookingTwice,
    () => minute / 2,
  );

  repeatsItsHistories(rows, 'register', minute);

  test('has another history under other rules', () => {
    const [usual, other] = [undefined, { rules: { emptyMs: (ms: number) => 2 * ms } }].map(
      (overrides) => simulate(rows, register, 9, { ms: minute }, overrides).historyHash,
    );
    expect(other).not.toBe(usual);
  });
});
