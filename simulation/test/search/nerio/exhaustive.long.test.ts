import { describe, expect, test } from 'vitest';
import { search } from './search.ts';
import { type Question, two } from './situation.ts';

/** More than any search here needs: one that reaches this was not exhausted. */
const statesMax = 200_000;

describe('all histories of two candidates with two rounds', () => {
  test.each<readonly [string, Question, number]>([
    ['the first clock slow', two, 50_000],
    ['the first clock fast', { ...two, rates: [5, 3] }, 50_000],
    ['a leader that resigns (N5)', { ...two, resigns: 1 }, 60_000],
  ])('never let both lead: %s', (_what, question, statesMin) => {
    const { states, exhausted, doubleLed } = search(question, statesMax);
    expect(doubleLed).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(states).toBeGreaterThan(statesMin);
  });
});
