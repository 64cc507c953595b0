import { expect, test } from 'vitest';
import { inductionScenarioNamed, inductionScenarios } from '../../src/induction/scenarios.ts';
import { simulateInduction } from '../../src/induction/simulate.ts';

test.each(inductionScenarios.map(({ name }) => name))(
  'induction keeps its guarantees for ten minutes of %s',
  (name) => {
    const { broken, first } = simulateInduction(inductionScenarioNamed(name), 1, 600_000);
    expect(broken, first).toEqual({});
  },
);
