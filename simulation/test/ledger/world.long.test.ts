import { expect, test } from 'vitest';
import { scenarioNamed, scenarios } from '../../src/ledger/scenarios.ts';
import { simulate } from '../../src/ledger/simulate.ts';
import { trial } from '../trial.ts';

test.each(scenarios.map(({ name }) => name))(
  'the ledger lease has one leader at a time and growing tokens in two hours of %s',
  (name) => {
    const { broken, first } = simulate(scenarioNamed(name), trial.seed, trial.ms);
    expect(broken, first).toEqual({});
  },
);
