import { leaseRules } from '@leadership/core/internal/sessions';
import { expect } from 'vitest';
import { mutants } from '../../../src/rows/mutants.ts';
import { search } from '../../../src/search/rows/search.ts';
import type { Budget, SearchParameters } from '../../../src/search/rows/system-state.ts';

/** Nothing may happen but what a test names. */
const nothing: Budget = {
  ticks: 0,
  arrivals: 0,
  restarts: 0,
  resignations: 0,
  removals: 0,
  losses: 0,
};

/** Returns a world of two members, of which the clock of the first is slow: it leads. */
export function world(
  budget: Partial<Budget>,
  changes: Partial<SearchParameters> = {},
): SearchParameters {
  return {
    rules: leaseRules,
    rates: [75, 125],
    partitions: 1,
    begins: 'shared',
    ...changes,
    budget: { ...nothing, ...budget },
  };
}

/** Above the size of every search of these: one that reaches it was not exhaustive. */
export const statesMax = 250_000;

/** Searches all states of a world, in none of which two lead or a token is lesser. */
export function neverFindsTwoLeaders(what: string, parameters: SearchParameters): void {
  const { states, exhausted, found } = search(parameters, statesMax);
  console.log(`${what}: ${states} states${exhausted ? ', exhausted' : ''}`);
  expect(found).toBeUndefined();
  expect(exhausted).toBe(true);
}

/** Searches the states of a mutant until two lead. */
export function findsTwoLeaders(name: string, parameters: SearchParameters): void {
  const mutant = mutants.find((one) => one.name === name);
  const rules = { ...leaseRules, ...mutant?.overrides.rules };
  const { found = [] } = search({ ...parameters, rules }, statesMax);
  expect(found.at(-1)).toContain('two leaders');
}
