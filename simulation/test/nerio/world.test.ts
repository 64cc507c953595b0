import { describe, expect, test } from 'vitest';
import { scenarioNamed, scenarios } from '../../src/nerio/scenarios.ts';
import { simulateWhile } from '../../src/nerio/simulate.ts';

const minute = 60_000;
/** Returns a course of `ms` milliseconds that never stops early. */
const straight = (ms: number) => ({ ms, stretchMs: ms, goesOn: () => true });

describe.each(['drift', 'skew'] as const)(
  'Nerio in the simulated world, where clocks are held to %s',
  (clocks) => {
    test.each(scenarios[clocks].map(({ name }) => name))(
      'believes only with a quorum of grants in five minutes of %s',
      (name) => {
        const scenario = scenarioNamed(clocks, name);
        const { broken, first } = simulateWhile(scenario, 1, straight(5 * minute));
        expect(broken, first).toEqual({});
      },
    );

    test('has a leader almost all the time if only crashes happen', () => {
      const { leaderlessShare, renewalGaps, needlessMoves } = simulateWhile(
        scenarioNamed(clocks, 'calm'),
        2,
        straight(60 * minute),
      );
      expect(leaderlessShare).toBeLessThan(0.01);
      expect(renewalGaps).toBe(0);
      expect(needlessMoves).toBe(0);
    });

    test('repeats a history for the same seed, and differs for another seed', () => {
      const [once, again, other] = [7, 7, 8].map((seed) =>
        simulateWhile(scenarioNamed(clocks, 'rainy'), seed, straight(5 * minute)),
      );
      expect(again).toEqual(once);
      expect(other?.historyHash).not.toBe(once?.historyHash);
    });
  },
);
