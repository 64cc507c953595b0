import { describe, expect, test } from 'vitest';
import { drifts, mutants, paced, type Question, search, short } from '../../src/simulation.ts';

const [slowFirst, fastFirst] = drifts as readonly [Question['rates'], Question['rates']];
const two: Question = { rules: paced, rates: slowFirst, thresholdsMs: [short, short], begins: 'unled', writes: 2, wants: 1, restarts: 0 };
/** More than any search here comes to: one that hits this was not exhausted. */
const statesMax = 400_000;

describe('everything that two members can do', () => {
  test.each<readonly [string, Question, number]>([
    ['from nobody leading, the preferred one slow', two, 30_000],
    ['from nobody leading, the preferred one fast', { ...two, rates: fastFirst }, 30_000],
    ['from the stand-in leading, with a want and a release (L7)', { ...two, begins: 'led', rates: fastFirst }, 70_000],
    [
      'from the stand-in leading, with a restart, the preferred one slow (L2, L5)',
      { ...two, begins: 'led', writes: 1, restarts: 1 },
      20_000,
    ],
    [
      'from the stand-in leading, with a restart, the preferred one fast (L2, L5)',
      { ...two, begins: 'led', rates: fastFirst, writes: 1, restarts: 1 },
      20_000,
    ],
  ])('never has both lead: %s', (_from, question, statesMin) => {
    const { states, exhausted, doubleLed } = search(question, statesMax);
    expect(doubleLed).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(states).toBeGreaterThan(statesMin);
  });
});

describe('a mutant is told from the protocol by the shortest history in which both lead', () => {
  test.each<readonly [string, Question]>([
    ['deadline-from-the-reply', two],
    ['no-drift-factor', two],
    ['latest-send', two],
    ['claims-without-waiting', two],
    ['believes-until-released', two],
    ['claims-at-once-after-a-restart', { ...two, begins: 'led', writes: 1, restarts: 1 }],
    ['delegate-from-the-receipt', { ...two, begins: 'led', rates: fastFirst }],
  ])('%s', (name, question) => {
    const mutant = mutants.find((one) => one.name === name);
    const rules = { ...paced, ...mutant?.departure.ledger };
    expect(search({ ...question, rules }, statesMax).doubleLed?.length).toBeGreaterThan(3);
  });
});
