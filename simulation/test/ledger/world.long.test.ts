import { expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { ledger } from '../../src/ledger/protocol.ts';
import { scenarios } from '../../src/ledger/scenarios.ts';
import { trial } from '../trial.ts';

test.each(scenarios.map(({ name }) => name))(
  'the ledger lease has one leader at a time and growing tokens in two hours of %s',
  (name) => {
    const { broken, first } = simulate(ledger, named(scenarios, name), trial.seed, trial);
    expect(broken, first).toEqual({});
  },
);
