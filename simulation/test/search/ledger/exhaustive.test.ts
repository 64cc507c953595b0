import { describe, expect, test } from 'vitest';
import { mutants } from '../../../src/ledger/mutants.ts';
import { paced } from '../../../src/search/ledger/pacing.ts';
import { search } from '../../../src/search/ledger/search.ts';
import type { SearchParameters } from '../../../src/search/ledger/system-state.ts';
import { fastFirst, statesMax, two } from './two-members.ts';

describe('exhaustive search with two members', () => {
  test('never finds two leaders or a wrong step: stand-in leads, a restart, preferred member slow (L2, L5)', () => {
    const parameters: SearchParameters = { ...two, begins: 'led', writes: 1, restarts: 1 };
    const { states, exhausted, found, checkedSteps } = search(parameters, statesMax);
    expect(found).toBeUndefined();
    expect(exhausted).toBe(true);
    expect(checkedSteps).toBeGreaterThan(states);
    expect(states).toBeGreaterThan(20_000);
  });
});

describe('the search finds two leaders for each mutant, and a wrong step before that', () => {
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
    const leaders = search({ ...parameters, rules }, statesMax, ['two leaders']).found ?? [];
    expect(leaders.length).toBeGreaterThan(3);
    const wrong = search({ ...parameters, rules }, statesMax, ['a wrong step']).found ?? [];
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.length).toBeLessThan(leaders.length);
    console.log(`${leaders.length} moves to two leaders, ${wrong.length} to`, wrong.at(-1));
  });
});
