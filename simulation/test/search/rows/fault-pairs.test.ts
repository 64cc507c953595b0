import { describe, expect, test } from 'vitest';
import { mutants } from '../../../src/rows/mutants.ts';
import { searchFaultPairs } from '../../../src/search/rows/fault-pairs.ts';

describe('every pair of faults', () => {
  test('breaks no rule in the first slot', () => {
    const { faults, runs, exhausted, found } = searchFaultPairs({ slots: 1 });
    console.log(`${faults} faults, ${runs} runs${exhausted ? ', exhausted' : ''}`);
    expect(found).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(runs).toBe(1 + faults + (faults * (faults + 1)) / 2);
  });

  test.each([
    ['claims-without-deposing', 'exclusive'],
    ['absent-owner-is-free', 'exclusive'],
    ['hands-its-own-token', 'T1'],
  ])('shows the mutant %s', (name, rule) => {
    const overrides = mutants.find((mutant) => mutant.name === name)?.overrides ?? {};
    const { found = [] } = searchFaultPairs({ slots: 2, overrides });
    expect(found.at(-1)).toContain(rule);
  });
});
