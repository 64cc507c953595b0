import { expect, test } from 'vitest';
import { mutants } from '../../../src/ledger/mutants.ts';
import { drifts, paced, short } from '../../../src/search/ledger/pacing.ts';
import { search } from '../../../src/search/ledger/search.ts';
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

/** Registers a test: the search finds two leaders for the mutant, and a wrong step before that. */
export function findsMutants(
  mutantsAndWorlds: readonly (readonly [string, SearchParameters])[],
): void {
  test.each(mutantsAndWorlds)(
    'the search finds two leaders for the mutant %s, and a wrong step before that',
    (name, parameters) => {
      const mutant = mutants.find((one) => one.name === name);
      const rules = { ...paced, ...mutant?.overrides.rules };
      const leaders = search({ ...parameters, rules }, statesMax, ['two leaders']).found ?? [];
      expect(leaders.length).toBeGreaterThan(3);
      const wrong = search({ ...parameters, rules }, statesMax, ['a wrong step']).found ?? [];
      expect(wrong.length).toBeGreaterThan(0);
      expect(wrong.length).toBeLessThan(leaders.length);
      console.log(`${leaders.length} moves to two leaders, ${wrong.length} to`, wrong.at(-1));
    },
  );
}
