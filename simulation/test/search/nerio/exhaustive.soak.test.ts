import { describe, expect, test } from 'vitest';
import { search } from './search.ts';
import { type Question, three, two } from './situation.ts';

/** The number of states that fit into memory. */
const statesMax = 3_000_000;

describe('two candidates, in all states that fit into memory', () => {
  test.each<readonly [string, Question]>([
    ['a restart without memory (N4)', { ...two, restarts: 1 }],
    ['a duplicated message', { ...two, copies: 1 }],
    ['three rounds', { ...two, rounds: 3 }],
    ['a third voter', three],
    ['a third voter and a restart', { ...three, restarts: 1 }],
  ])('never both lead with %s', (_what, question) => {
    const { states, exhausted, doubleLed } = search(question, statesMax);
    console.log(`${states} states${exhausted ? ', exhausted' : ''}`);
    expect(doubleLed).toBeUndefined();
  });
});
