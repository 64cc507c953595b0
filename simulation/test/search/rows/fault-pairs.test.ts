import { describe, expect, test } from 'vitest';
import { mutants } from '../../../src/rows/mutants.ts';
import { searchFaultPairs } from '../../../src/search/rows/fault-pairs.ts';

describe('every pair of faults', () => {
  test.each([
    ['claims-without-deposing', 'exclusive'],
    ['hands-its-own-token', 'T1'],
  ])('shows the mutant %s', (name, rule) => {
    const overrides = mutants.find((mutant) => mutant.name === name)?.overrides ?? {};
    const { found = [] } = searchFaultPairs({ slots: 2, overrides });
    expect(found.at(-1)).toContain(rule);
  });
});
