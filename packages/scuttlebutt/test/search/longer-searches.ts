import { describe, expect, test } from 'vitest';
import { search } from './search.ts';
import type { Question } from './situation.ts';

/** A limit above the size of every search. A search that reaches it was not exhaustive. */
const statesMax = 1_500_000;

/** Registers a test per question, on clocks as far apart as allowed. */
export function longerSearches(
  questions: readonly (readonly [string, Omit<Question, 'rates'>])[],
): void {
  describe('exhaustive search with more time and more faults', () => {
    test.each(questions)('never finds two leaders, or a token that does not grow: %s', (_, one) => {
      const { wrong, exhausted, states } = search(
        { ...one, rates: { a: 3, b: 5, v: 5 } },
        statesMax,
      );
      console.info(`${states} states`);
      expect(wrong).toBeUndefined();
      expect(exhausted).toBe(true);
    });
  });
}
