import { expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { rows } from '../../src/rows/protocol.ts';
import { keepsItsRules, minute } from '../worlds.ts';
import { countedRows } from './counted.ts';
import { lookingTwice } from './looking-twice.ts';

keepsItsRules(
  'a lease by session has one leader at a time, growing tokens and few of what is counted in half an hour of %s',
  countedRows,
  rows.judgedAfterMs,
);

keepsItsRules(
  'a lease by session has one leader at a time and growing tokens, and misses nothing that a second look would find, in four minutes of %s',
  lookingTwice,
  () => 4 * minute,
);

// A seed by which some world once missed something.
keepsItsRules(
  'a lease by session misses nothing in a minute of %s from another seed',
  lookingTwice,
  () => minute,
  4,
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
  const world = rows.newWorld(named(rows.scenarios, 'register'), 2, undefined);
  runUntil(world, 60 * minute);
  expect(world.judge.settled).toBe(6);
  expect(Object.fromEntries(world.judge.broken)).toEqual({});
});
