// Each guard of the relation holds in some scenario: a guard that is never reached checks nothing.
import { expect, test } from 'vitest';
import { guards } from '../../src/relation/actions.ts';
import { rows } from '../../src/rows/protocol.ts';
import { worldOf } from './run.ts';

const minutes = 3;
/** A seed by which few minutes reach every guard: a session whose row is missing is seldom deposed. */
const seed = 1;

test('every step of every scenario is permitted, and every guard is reached', () => {
  const held = guards.names.map(() => 0);
  let steps = 0;
  for (const { name } of rows.scenarios) {
    const world = worldOf(name, seed);
    world.pass(minutes * 60_000);
    const { checked, refuted, first } = world.judge;
    expect(refuted, first).toBeUndefined();
    expect(checked.steps).toBeGreaterThan(5_000);
    steps += checked.steps;
    checked.held.forEach((times, index) => {
      held[index] = (held[index] ?? 0) + times;
    });
  }
  const table = guards.names.map((name, index) => `${String(held[index]).padStart(8)}  ${name}`);
  console.log(`${steps} steps; times that each guard held:\n${table.join('\n')}`);
  expect(guards.names.filter((_, index) => held[index] === 0)).toEqual([]);
});
