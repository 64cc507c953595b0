import { expect, test } from 'vitest';
import { scenarioNamed, scenarios } from '../../src/nerio/scenarios.ts';
import { simulateWhile, stretchMsOf } from '../../src/nerio/simulate.ts';
import { slowToTell, trial } from './trial.ts';

test.each(
  (['drift', 'skew'] as const).flatMap((clocks) =>
    scenarios[clocks].map(({ name }) => [clocks, name] as const),
  ),
)(
  'Nerio, where clocks are held to %s, believes only with a quorum of grants in %s',
  (clocks, name) => {
    const scenario = scenarioNamed(clocks, name);
    // The minimum length for which counters are judged.
    const ms = Math.max(stretchMsOf(scenario), slowToTell.has(name) ? 2 * trial.ms : trial.ms);
    const course = { ms, stretchMs: ms, goesOn: () => true };
    const { broken, first } = simulateWhile(scenario, trial.seed, course);
    expect(broken, first).toEqual({});
  },
);
