import { describe, expect, test } from 'vitest';
import type { ElectionRules } from '../../src/protocol/election/rules.ts';
import { search } from './search.ts';
import type { Question } from './situation.ts';

/** The leader's clock is slow, all others are fast: its belief lasts as long as it can. */
const rates: Question['rates'] = { a: 3, b: 5, v: 5 };
const none: Question = { rates, ticks: 6, suspicions: 0, resignations: 0, restarts: 0 };
const suspicion: Question = { ...none, suspicions: 1 };
const restart: Question = { ...none, ticks: 3, restarts: 1 };
const resignation: Question = { ...none, ticks: 2, suspicions: 1, resignations: 1 };
/** A limit above the size of every search here. A search that reaches it was not exhaustive. */
const statesMax = 400_000;

describe('exhaustive search with two candidates and a contested voter of three', () => {
  test.each<readonly [string, Question, number]>([
    ['a suspicion', suspicion, 3000],
    ['a suspicion, the same rates', { ...suspicion, rates: { a: 4, b: 4, v: 4 } }, 2000],
    ['a restart', { ...restart, suspicions: 1 }, 5000],
    ['a resignation', resignation, 2000],
  ])('never finds two leaders, or a token that does not grow: %s', (_, question, statesMin) => {
    const { states, exhausted, wrong } = search(question, statesMax);
    expect(wrong).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(states).toBeGreaterThan(statesMin);
  });

  test.each<readonly [string, Question, Partial<ElectionRules>]>([
    ['S5: the published factor', suspicion, { believeUntil: (b, ms, r) => b + ms / (1 + r) }],
    ['S4: a bound that goes on', suspicion, { publishesWithdrawn: true }],
    ['S4: free at suspicion', suspicion, { freeAt: (publishedAt) => publishedAt }],
    ['S4: a vote after a restart', restart, { muteMs: () => 0 }],
    [
      'S5: votes of an earlier life',
      { ...restart, suspicions: 1 },
      { isForLife: () => true, counts: (b, _, horizon) => b > horizon, elects: () => true },
    ],
    [
      'H2: free after any resignation',
      { ...resignation, ticks: 3 },
      { freesAtOnce: () => true, horizon: (clock) => clock + 1 },
    ],
    ['T1: a claim that was not accepted', suspicion, { elects: () => true }],
    ['T1: any claim is accepted', suspicion, { accepts: () => true }],
  ])('finds the history that breaks %s', (_, question, rules) => {
    const { wrong } = search({ ...question, rules }, statesMax);
    expect(wrong).toBeDefined();
  });
});
