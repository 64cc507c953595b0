import { describe, test } from 'vitest';
import type { SearchParameters } from '../../../src/search/rows/system-state.ts';
import { findsTwoLeaders, neverFindsTwoLeaders, world } from './worlds.ts';

describe('exhaustive search of two members over rows, at length', () => {
  test.each<readonly [string, SearchParameters]>([
    ['a leader and a stand-in', world({ ticks: 3, arrivals: 3 })],
    ['a leader with a fast clock', world({ ticks: 3, arrivals: 2 }, { rates: [125, 75] })],
    [
      'two partitions and a restart',
      world({ ticks: 3, arrivals: 1, restarts: 1 }, { partitions: 2 }),
    ],
    ['a row that is removed', world({ ticks: 3, arrivals: 2, removals: 1 })],
    ['a history that is lost', world({ ticks: 3, arrivals: 3, losses: 1 })],
    ['a resignation', world({ ticks: 3, arrivals: 2, resignations: 1 })],
    [
      'a second member and two partitions',
      world({ ticks: 3, arrivals: 5 }, { partitions: 2, begins: 'joined' }),
    ],
    [
      'two partitions, of which each member leads one (M13)',
      world(
        { ticks: 2, arrivals: 4, resignations: 1 },
        { partitions: 2, begins: 'shared', partitionsMax: 1 },
      ),
    ],
  ])('never finds two leaders or a lesser token: %s', neverFindsTwoLeaders);

  test('finds two leaders with the mutant no-drift-at-the-owner', () => {
    findsTwoLeaders('no-drift-at-the-owner', world({ ticks: 4, arrivals: 3 }));
  });
});
