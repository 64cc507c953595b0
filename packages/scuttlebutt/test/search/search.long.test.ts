import { describe, expect, test } from 'vitest';
import { search } from './search.ts';
import type { Question } from './situation.ts';

const statesMax = 1_500_000;

describe('exhaustive search with more time and more faults', () => {
  test.each<readonly [string, Omit<Question, 'rates'>]>([
    ['two changes of mind', { ticks: 8, suspicions: 2, resignations: 0, restarts: 0 }],
    ['a resignation', { ticks: 6, suspicions: 1, resignations: 1, restarts: 0 }],
    ['a restart', { ticks: 6, suspicions: 1, resignations: 0, restarts: 1 }],
  ])('never finds two leaders, or a token that does not grow: %s', (_, question) => {
    const { wrong, exhausted, states } = search(
      { ...question, rates: { a: 3, b: 5, v: 5 } },
      statesMax,
    );
    console.info(`${states} states`);
    expect(wrong).toBeUndefined();
    expect(exhausted).toBe(true);
  });
});
