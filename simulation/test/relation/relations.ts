// The two relations, each with its worlds and mutants, for the tests of what they refute.
import type { Mutant } from '../../src/kernel/mutant.ts';
import { type Judged, named, type Protocol } from '../../src/kernel/protocol.ts';
import type { CommonScenario } from '../../src/kernel/scenario.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { ledger } from '../../src/ledger/protocol.ts';
import { guards as ledgerGuards } from '../../src/relation/actions.ts';
import type { Checked } from '../../src/relation/guards.ts';
import { guards as sessionGuards } from '../../src/relation/session/actions.ts';
import '../../src/relation/session/terms.ts';
import { rows } from '../../src/rows/protocol.ts';
import { unseen as unseenLedger } from './unseen-ledger.ts';
import { unseen as unseenRows } from './unseen-rows.ts';

type CheckedJudge = Judged['judge'] & {
  readonly checked: Checked;
  readonly refuted: { readonly guard: string; readonly steps: number } | undefined;
};

/** A world that runs on, with what its judge has seen. */
interface Running {
  readonly judge: CheckedJudge;
  readonly now: number;
  pass(ms: number): void;
}

/** One relation. */
export interface Relation {
  readonly name: string;
  readonly guards: readonly string[];
  /** The mutants that it does not refute, and why. */
  readonly unseen: Readonly<Record<string, string>>;
  readonly mutants: readonly Mutant<unknown>[];
  readonly scenarios: readonly string[];
  /** Returns a new world of the scenario, with a mutant or without. */
  world(scenario: string, seed: number, mutant?: string): Running;
}

function relationOf<
  Scenario extends CommonScenario,
  World extends Judged & { readonly judge: CheckedJudge },
  Overrides,
>(
  protocol: Protocol<Scenario, World, Overrides>,
  guards: readonly string[],
  unseen: Relation['unseen'],
): Relation {
  const { name, mutants, scenarios } = protocol;
  return {
    name,
    guards,
    unseen,
    mutants,
    scenarios: scenarios.map((one) => one.name),
    world(scenario, seed, mutant) {
      const overrides = mutant === undefined ? undefined : named(mutants, mutant).overrides;
      const world = protocol.newWorld(named(scenarios, scenario), seed, overrides);
      return {
        judge: world.judge,
        get now() {
          return world.now;
        },
        pass: (ms) => runUntil(world, world.now + ms),
      };
    },
  };
}

/** Both relations. */
export const relations: readonly Relation[] = [
  relationOf(ledger, ledgerGuards.names, unseenLedger),
  relationOf(rows, sessionGuards.names, unseenRows),
];
