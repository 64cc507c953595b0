import { describe, expect, test } from 'vitest';
import { search } from '../../../src/search/ledger/search.ts';
import type { SearchParameters } from '../../../src/search/ledger/system-state.ts';
import { fastFirst, findsMutants, statesMax, two } from './two-members.ts';

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
      'stand-in leads, a restart, preferred member slow (L2, L5)',
      { ...two, begins: 'led', writes: 1, restarts: 1 },
      20_000,
    ],
    [
      'stand-in leads, a restart, preferred member fast (L2, L5)',
      { ...two, begins: 'led', rates: fastFirst, writes: 1, restarts: 1 },
      20_000,
    ],
  ])('never finds two leaders or a wrong step: %s', (_from, parameters, statesMin) => {
    const { states, exhausted, found, checkedSteps } = search(parameters, statesMax);
    expect(found).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(checkedSteps).toBeGreaterThan(states);
    expect(states).toBeGreaterThan(statesMin);
  });
});

findsMutants([['delegate-from-the-receipt', { ...two, begins: 'led', rates: fastFirst }]]);
