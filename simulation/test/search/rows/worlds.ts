import { leaseRules } from '@leadership/core/internal/sessions';
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
