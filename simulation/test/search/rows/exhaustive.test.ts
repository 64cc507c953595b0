import { leaseRules } from '@leadership/core/internal/sessions';
import { describe, expect, test } from 'vitest';
import { mutants } from '../../../src/rows/mutants.ts';
import { search } from '../../../src/search/rows/search.ts';
import type { SearchParameters } from '../../../src/search/rows/system-state.ts';
import { findsTwoLeaders, statesMax, world } from './worlds.ts';

describe('exhaustive search of two members over rows', () => {
  test.each<readonly [string, SearchParameters, number]>([
    ['a leader and a stand-in', world({ ticks: 3, arrivals: 2 }), 800],
    [
      'a second member, two partitions and a hand-over (M8)',
      world({ ticks: 2, arrivals: 5 }, { partitions: 2, begins: 'joined' }),
      400,
    ],
    [
      'two partitions and a restart',
      world({ ticks: 2, arrivals: 2, restarts: 1 }, { partitions: 2 }),
      1_500,
    ],
    ['a history that is lost (M6)', world({ ticks: 2, arrivals: 3, losses: 1 }), 300],
  ])('never finds two leaders or a lesser token: %s', (_from, parameters, statesMin) => {
    const { states, exhausted, found } = search(parameters, statesMax);
    console.log(`${states} states${exhausted ? ', exhausted' : ''}`);
    expect(found).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(states).toBeGreaterThan(statesMin);
  });

  test('finds a member beyond its limit, if it and its heir ignore limits (M13)', () => {
    const ofHeir = mutants.find(({ name }) => name === 'ignores-the-limit-of-the-heir');
    const ofItself = mutants.find(({ name }) => name === 'begins-beyond-its-limit');
    const rules = { ...leaseRules, ...ofHeir?.overrides.rules, ...ofItself?.overrides.rules };
    const parameters = world(
      { ticks: 2, arrivals: 3, resignations: 1 },
      { partitions: 2, partitionsMax: 1 },
    );
    expect(search({ ...parameters, rules }, statesMax).found?.at(-1)).toContain('leads 2');
  });

  test.each<readonly [string, SearchParameters]>([
    ['claims-without-deposing', world({ ticks: 4, arrivals: 3 })],
    ['absent-owner-is-free', world({ ticks: 2, arrivals: 3, removals: 1 })],
    ['empty-row-is-free', world({ ticks: 2, arrivals: 4, removals: 1 })],
  ])('finds two leaders with the mutant %s', findsTwoLeaders);
});
