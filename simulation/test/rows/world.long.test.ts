import { expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { rows } from '../../src/rows/protocol.ts';
import { scenarios } from '../../src/rows/scenarios.ts';

/** The minimum length for which counters are judged. Milliseconds. */
const ms = 3_600_000;

test.each(scenarios.map(({ name }) => name))(
  'a lease by session has one leader at a time and growing tokens in an hour of %s',
  (name) => {
    const { broken, first } = simulate(rows, named(scenarios, name), 1, { ms });
    expect(broken, first).toEqual({});
  },
);
