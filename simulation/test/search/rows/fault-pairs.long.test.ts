import { expect, test } from 'vitest';
import { mutants } from '../../../src/rows/mutants.ts';
import { searchFaultPairs } from '../../../src/search/rows/fault-pairs.ts';

test('every pair of faults breaks no rule in two slots', () => {
  const { faults, runs, exhausted, found } = searchFaultPairs({ slots: 2 });
  console.log(`${faults} faults, ${runs} runs${exhausted ? ', exhausted' : ''}`);
  expect(found).toBeUndefined();
  expect(exhausted).toBe(true);
  expect(runs).toBe(1 + faults + (faults * (faults + 1)) / 2);
});

test('every pair of faults shows the mutant absent-owner-is-free', () => {
  const overrides = mutants.find(({ name }) => name === 'absent-owner-is-free')?.overrides ?? {};
  const { found = [] } = searchFaultPairs({ slots: 2, overrides });
  expect(found.at(-1)).toContain('exclusive');
});
