// Tests of simulated worlds that every protocol passes.
import { expect, test } from 'vitest';
import { type Judged, named, type Protocol, simulate } from '../src/kernel/protocol.ts';
import type { CommonScenario } from '../src/kernel/scenario.ts';

export const minute = 60_000;

/** Registers a test per scenario, whose name is `%s` in the title: no rule is broken for `msOf`. */
export function keepsItsRules<Scenario extends CommonScenario, World extends Judged, Overrides>(
  title: string,
  protocol: Protocol<Scenario, World, Overrides>,
  msOf: (scenario: Scenario) => number,
  seed = 1,
): void {
  test.each(protocol.scenarios.map((scenario) => [scenario.name, scenario] as const))(
    title,
    (_name, scenario) => {
      const { broken, first } = simulate(protocol, scenario, seed, { ms: msOf(scenario) });
      expect(broken, first).toEqual({});
    },
  );
}

/** Registers a test: a seed repeats its history bit for bit, and another seed has another one. */
export function repeatsItsHistories<
  Scenario extends CommonScenario,
  World extends Judged,
  Overrides,
>(protocol: Protocol<Scenario, World, Overrides>, scenario: string, ms: number): void {
  test('repeats a history for the same seed, and differs for another seed', () => {
    const [once, again, other] = [7, 7, 8].map((seed) =>
      simulate(protocol, named(protocol.scenarios, scenario), seed, { ms }),
    );
    expect(again).toEqual(once);
    expect(other?.historyHash).not.toBe(once?.historyHash);
  });
}
