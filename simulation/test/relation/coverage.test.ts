// Each guard of a relation holds in some scenario: a guard that is never reached checks nothing.
import { expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { mutants } from '../../src/ledger/mutants.ts';
import { relations } from './relations.ts';

const minutes = 6;
/** Seeds by which few minutes reach every guard: a session whose row is missing is seldom deposed. */
const seeds: Readonly<Record<string, number>> = { ledger: 4, rows: 6 };

/** A guard that is wrong: only a broken assumption lets a leader read another one's record (L8). */
const { name: wrongGuard, scenario: wrongWorld } = named(mutants, 'end-alone-proves');

test.each(relations)(
  'every step of every scenario is permitted, and every guard is reached: $name',
  ({ name, scenarios, guards, world: newWorld }) => {
    const seed = seeds[name] ?? 1;
    const held = guards.map(() => 0);
    let steps = 0;
    const worlds = scenarios.map((scenario) => newWorld(scenario, seed));
    if (name === 'ledger') worlds.push(newWorld(wrongWorld, seed, wrongGuard));
    for (const world of worlds) {
      world.pass(minutes * 60_000);
      const { checked, refuted, first } = world.judge;
      expect(refuted, first).toBeUndefined();
      expect(checked.steps).toBeGreaterThan(10_000);
      steps += checked.steps;
      checked.held.forEach((times, index) => {
        held[index] = (held[index] ?? 0) + times;
      });
    }
    const table = guards.map((guard, index) => `${String(held[index]).padStart(8)}  ${guard}`);
    console.log(`${steps} steps; times that each guard held:\n${table.join('\n')}`);
    expect(guards.filter((_, index) => held[index] === 0)).toEqual([]);
  },
);
