import { expect, test } from 'vitest';
import { searchFaultPairs } from '../../../src/search/rows/fault-pairs.ts';

test('every pair of faults breaks no rule in ten slots', () => {
  const { faults, runs, exhausted, found } = searchFaultPairs({ slots: 10 });
  console.log(`${faults} faults, ${runs} runs${exhausted ? ', exhausted' : ''}`);
  expect(found).toBeUndefined();
  expect(exhausted).toBe(true);
});
