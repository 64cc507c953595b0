import { describe, expect, test } from 'vitest';
import { drifts, long, paced, short } from '../../../src/search/ledger/pacing.ts';
import { search } from '../../../src/search/ledger/search.ts';
import type { SearchParameters } from '../../../src/search/ledger/system-state.ts';

/** Maximum number of states that fit into memory. */
const statesMax = 3_000_000;

const large: SearchParameters = {
  rules: paced,
  rates: [3, 5],
  thresholdsMs: [short, short],
  begins: 'unled',
  writes: 3,
  requests: 1,
  restarts: 0,
};

describe.each(drifts.map((rates) => ({ rates })))(
  'two members at clock rates $rates, up to the memory limit',
  ({ rates }) => {
    test.each<readonly [string, SearchParameters]>([
      ['three writes', large],
      ['two writes and a restart', { ...large, writes: 2, restarts: 1 }],
      ['a leader, two writes and a restart', { ...large, begins: 'led', writes: 2, restarts: 1 }],
      [
        'a leader whose T is longer',
        { ...large, begins: 'led', writes: 2, thresholdsMs: [short, long] },
      ],
      [
        'a leader whose T is shorter',
        { ...large, begins: 'led', writes: 2, thresholdsMs: [long, short] },
      ],
    ])('never both lead: %s', (_what, parameters) => {
      const { states, exhausted, found } = search({ ...parameters, rates }, statesMax);
      console.log(`${states} states${exhausted ? ', exhausted' : ''}`);
      expect(found).toBeUndefined();
    });
  },
);
