import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { rows } from '../../src/rows/protocol.ts';
import { keepsItsRules, minute, repeatsItsHistories } from '../worlds.ts';
import { lookingTwice } from './looking-twice.ts';

const register = named(rows.scenarios, 'register');

describe('leases by session in the simulated world', () => {
  keepsItsRules(
    'has one leader at a time and growing tokens in a minute of %s, and misses nothing that a second look would find',
    lookingTwice,
    () => minute,
  );

  test('hands nothing over unasked because an earlier term was resigned, which expired (M8)', () => {
    const world = rows.newWorld(named(rows.scenarios, 'log, old-copy'), 31, undefined);
    runUntil(world, 8 * minute);
    expect(world.judge.first).toBeUndefined();
  });

  test('sends few requests in a quiet time after its store has lost its history often', () => {
    const world = rows.newWorld(named(rows.scenarios, 'forgetful'), 3, undefined);
    runUntil(world, 9.5 * minute);
    const { steps } = world.judge.checked;
    runUntil(world, 10 * minute);
    expect(world.judge.checked.steps - steps).toBeLessThan(5000);
  });

  test('has led partitions, and even shares, after each quiet time of an hour', () => {
    const world = rows.newWorld(register, 2, undefined);
    runUntil(world, 60 * minute);
    expect(world.judge.settled).toBe(6);
    expect(Object.fromEntries(world.judge.broken)).toEqual({});
  });

  repeatsItsHistories(rows, 'register', 5 * minute);

  test('has another history under other rules', () => {
    const [usual, other] = [undefined, { rules: { emptyMs: (ms: number) => 2 * ms } }].map(
      (overrides) => simulate(rows, register, 9, { ms: 5 * minute }, overrides).historyHash,
    );
    expect(other).not.toBe(usual);
  });
});
