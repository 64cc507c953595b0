import { drifts, paced, short } from '../../../src/search/ledger/pacing.ts';
import type { SearchParameters } from '../../../src/search/ledger/system-state.ts';

const [slowFirst, fast] = drifts as readonly [SearchParameters['rates'], SearchParameters['rates']];

/** The clock rates with which the preferred member is fast. */
export const fastFirst: SearchParameters['rates'] = fast;

/** Two members without a leader, of which the preferred one is slow. */
export const two: SearchParameters = {
  rules: paced,
  rates: slowFirst,
  thresholdsMs: [short, short],
  begins: 'unled',
  writes: 2,
  requests: 1,
  restarts: 0,
};

/** A limit above the size of every search of them. A search that reaches it was not exhaustive. */
export const statesMax = 400_000;
