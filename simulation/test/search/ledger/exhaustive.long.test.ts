import { describe, expect, test } from 'vitest';
import { drifts, paced, short } from '../../../src/search/ledger/pacing.ts';
import { search } from '../../../src/search/ledger/search.ts';
import type { SearchParameters } from '../../../src/search/ledger/system-state.ts';

const [slowFirst, fastFirst] = drifts as readonly [
  SearchParameters['rates'],
  SearchParameters['rates'],
];
const two: SearchParameters = {
  rules: paced,
  rates: slowFirst,
  thresholdsMs: [short, short],
  begins: 'unled',
  writes: 2,
  requests: 1,
  restarts: 0,
};
/** A limit above the size of every search here. A search that reaches it was not exhaustive. */
const statesMax = 400_000;

describe('exhaustive search with two members', () => {
  test.each<readonly [string, SearchParameters, number]>([
    ['no leader, preferred member slow', two, 30_000],
    ['no leader, preferred member fast', { ...two, rates: fastFirst }, 30_000],
    [
      'stand-in leads, a lease request and a release (L7)',
      { ...two, begins: 'led', rates: fastFirst },
      70_000,
    ],
    [
      'stand-in leads, a restart, preferred member fast (L2, L5)',
      { ...two, begins: 'led', rates: fastFirst, writes: 1, restarts: 1 },
      20_000,
    ],
  ])('never finds two leaders: %s', (_from, parameters, statesMin) => {
    const { states, exhausted, doubleLed } = search(parameters, statesMax);
    expect(doubleLed).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(states).toBeGreaterThan(statesMin);
  });
});
