// Tests of simulated worlds that every protocol passes.
import { expect, test } from 'vitest';
import {
  type Judged,
  named,
  type Outcome,
  type Protocol,
  simulateInTurns,
} from '../src/kernel/protocol.ts';
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
    async (_name, scenario) => {
      const { broken, first } = await simulateInTurns(protocol, scenario, seed, {
        ms: msOf(scenario),
      });
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
  test('repeats a history for the same seed, and differs for another seed', async () => {
    const run = (seed: number): Promise<Outcome> =>
      simulateInTurns(protocol, named(protocol.scenarios, scenario), seed, { ms });
    const [once, again, other] = [await run(7), await run(7), await run(8)];
    expect(again).toEqual(once);
    expect(other.historyHash).not.toBe(once.historyHash);
  });
}

/** Returns the outcomes of all worlds of a run. */
export async function outcomesOf(run: AsyncIterable<Outcome>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const outcome of run) outcomes.push(outcome);
  return outcomes;
}
