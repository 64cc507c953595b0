import { describe, expect, test } from 'vitest';
import { isCaught } from '../src/kernel/protocol.ts';
import { everyHunt, type Hunt, huntMs, rowsOf } from './hunts.ts';

/** Lengths of the hunts from each seed. From some seed, most mutants are caught within minutes. */
const tiersMs = [3_600_000, 3 * 3_600_000, huntMs];

/** Returns whether some seed exposes the mutant: in the shortest hunt that suffices. */
function isCaughtOnce(hunt: Hunt): boolean {
  const seeds = hunt.seeds.toReversed();
  return tiersMs.some((ms) => seeds.some((seed) => isCaught(hunt, hunt.run(seed, ms))));
}

describe.each(everyHunt.map((hunts) => [hunts.name, hunts] as const))(
  'the simulation of %s',
  (_protocol, hunts) => {
    test.each(rowsOf(hunts))('catches the mutant %s: %s', (_rule, _name, hunt) => {
      expect(
        isCaughtOnce(hunt),
        `${hunt.shows} must have a violation in ${hunt.scenario} with one of ${hunt.seeds.join(', ')}`,
      ).toBe(true);
    });

    test('has mutants with unique names, rules and known scenarios', () => {
      const names = hunts.hunts.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const { rule, scenario } of hunts.hunts) {
        expect(rule).toMatch(hunts.rules);
        expect(hunts.scenarios).toContain(scenario);
      }
    });
  },
);
