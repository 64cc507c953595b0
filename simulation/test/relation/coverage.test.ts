// Each guard of the relation holds in some scenario: a guard that is never reached checks nothing.
import { expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { mutants } from '../../src/ledger/mutants.ts';
import { ledger } from '../../src/ledger/protocol.ts';
import { scenarios } from '../../src/ledger/scenarios.ts';
import { guardNames } from '../../src/relation/actions.ts';

const minutes = 6;
const seed = 4;

/** A guard that is wrong: only a broken assumption lets a leader read another one's record (L8). */
const wrongGuard = named(mutants, 'end-alone-proves');

const worlds = [
  ...scenarios.map((scenario) => ({ scenario, overrides: undefined })),
  { scenario: named(scenarios, wrongGuard.scenario), overrides: wrongGuard.overrides },
];

test('every step of every scenario is permitted, and every guard is reached', () => {
  const held = guardNames.map(() => 0);
  let steps = 0;
  for (const { scenario, overrides } of worlds) {
    const world = ledger.newWorld(scenario, seed, overrides);
    runUntil(world, minutes * 60_000);
    const { checked, refuted, first } = world.judge;
    expect(refuted, `${scenario.name}: ${first}`).toBeUndefined();
    expect(checked.steps).toBeGreaterThan(10_000);
    steps += checked.steps;
    checked.held.forEach((times, index) => {
      held[index] = (held[index] ?? 0) + times;
    });
  }
  const table = guardNames.map((name, index) => `${String(held[index]).padStart(8)}  ${name}`);
  console.log(`${steps} steps; times that each guard held:\n${table.join('\n')}`);
  expect(guardNames.filter((_, index) => held[index] === 0)).toEqual([]);
});
