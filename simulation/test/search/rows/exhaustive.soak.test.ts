import { describe, test } from 'vitest';
import type { SearchParameters } from '../../../src/search/rows/system-state.ts';
import { neverFindsTwoLeaders, world } from './worlds.ts';

describe('exhaustive search of two members over rows, in all states that fit into memory', () => {
  test.each<readonly [string, SearchParameters]>([
    ['a leader and a stand-in', world({ ticks: 5, arrivals: 3 })],
    ['a leader with a fast clock', world({ ticks: 5, arrivals: 2 }, { rates: [125, 75] })],
    [
      'two partitions and a restart',
      world({ ticks: 3, arrivals: 2, restarts: 1 }, { partitions: 2 }),
    ],
    ['a row that is removed', world({ ticks: 3, arrivals: 3, removals: 1 })],
    ['a resignation', world({ ticks: 3, arrivals: 3, resignations: 1 })],
    [
      'a second member and two partitions',
      world({ ticks: 3, arrivals: 7 }, { partitions: 2, begins: 'joined' }),
    ],
    ['a history that is lost', world({ ticks: 4, arrivals: 3, losses: 1 })],
  ])('never finds two leaders or a lesser token: %s', neverFindsTwoLeaders);
});
