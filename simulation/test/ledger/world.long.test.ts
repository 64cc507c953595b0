import { expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { ledger } from '../../src/ledger/protocol.ts';
import { scenarios } from '../../src/ledger/scenarios.ts';

/** The minimum length for which counters are judged. Milliseconds. */
const ms = 3_600_000;

test.each(scenarios.map(({ name }) => name))(
  'the ledger lease has one leader at a time and growing tokens in an hour of %s',
  (name) => {
    const { broken, first } = simulate(ledger, named(scenarios, name), 1, { ms });
    expect(broken, first).toEqual({});
  },
);
