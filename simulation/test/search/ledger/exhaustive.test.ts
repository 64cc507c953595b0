import { describe, expect, test } from 'vitest';
import { mutants } from '../../../src/ledger/mutants.ts';
import { paced } from '../../../src/search/ledger/pacing.ts';
import { search } from '../../../src/search/ledger/search.ts';
import type { SearchParameters } from '../../../src/search/ledger/system-state.ts';
import { fastFirst, statesMax, two } from './two-members.ts';

describe('exhaustive search with two members', () => {
  test('never finds two leaders: stand-in leads, a restart, preferred member slow (L2, L5)', () => {
    const parameters: SearchParameters = { ...two, begins: 'led', writes: 1, restarts: 1 };
    const { states, exhausted, doubleLed } = search(parameters, statesMax);
    expect(doubleLed).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(states).toBeGreaterThan(20_000);
  });
});

describe('the search finds two leaders for each mutant', () => {
  test.each<readonly [string, SearchParameters]>([
    ['deadline-from-the-reply', two],
    ['no-drift-factor', two],
    ['latest-send', two],
    ['claims-without-waiting', two],
    ['believes-until-released', two],
    ['claims-at-once-after-a-restart', { ...two, begins: 'led', writes: 1, restarts: 1 }],
    ['delegate-from-the-receipt', { ...two, begins: 'led', rates: fastFirst }],
  ])('%s', (name, parameters) => {
    const mutant = mutants.find((one) => one.name === name);
    const rules = { ...paced, ...mutant?.overrides.rules };
    expect(search({ ...parameters, rules }, statesMax).doubleLed?.length).toBeGreaterThan(3);
  });
});
