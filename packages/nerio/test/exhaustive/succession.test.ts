import { describe, expect, test } from 'vitest';
import { driftRules, type NerioRules } from '../../src/protocol.ts';
import { type Attempts, searchSuccession } from './succession.ts';

/** Nobody looks first whether a quorum can be wedged: that keeps a group from getting stuck, and what is safe owes nothing to it. */
const eager: NerioRules = { ...driftRules, canEnd: () => true };

describe('whatever becomes of attempts to end an epoch', () => {
  test.each<readonly [string, Omit<Attempts, 'rules'>]>([
    ['each of two wants two things, one after the other', { wishes: [2, 2], restarts: [0, 0] }],
    ['one of them starts anew in between', { wishes: [2, 1], restarts: [1, 0] }],
  ])('one epoch follows at most: %s (N13)', (_what, attempts) => {
    const { situations, torn } = searchSuccession({ rules: eager, ...attempts });
    console.log(`${situations} situations, which is all`);
    expect(torn).toBeUndefined();
    expect(situations).toBeGreaterThan(1000);
  });

  test.each<readonly [string, Omit<Attempts, 'rules'>, Partial<NerioRules>]>([
    [
      'counts its attempts by what it has promised alone',
      { wishes: [2, 2], restarts: [0, 0] },
      { ballot: ({ member, incarnation }, promised) => ({ round: promised + 1, member, incarnation }) },
    ],
    [
      'does not tell its lives from each other',
      { wishes: [2, 1], restarts: [1, 0] },
      { ballot: ({ member }, promised, known) => ({ round: Math.max(promised, known) + 1, member, incarnation: '' }) },
    ],
  ])('two might, where a member %s', (_what, attempts, departure) => {
    expect(searchSuccession({ rules: { ...eager, ...departure }, ...attempts }).torn).toBeDefined();
  });
});
