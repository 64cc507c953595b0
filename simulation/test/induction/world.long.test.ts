import { expect, test } from 'vitest';
import { induction } from '../../src/induction/protocol.ts';
import { scenarios } from '../../src/induction/scenarios.ts';
import { named, simulate } from '../../src/kernel/protocol.ts';

test.each(scenarios.map(({ name }) => name))(
  'induction keeps its guarantees for ten minutes of %s',
  (name) => {
    const { broken, first } = simulate(induction, named(scenarios, name), 1, { ms: 600_000 });
    expect(broken, first).toEqual({});
  },
);
