// Worlds of leases by session that run step by step, for the tests of what the relation refutes.
import { named } from '../../src/kernel/protocol.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import '../../src/relation/terms.ts';
import { rows } from '../../src/rows/protocol.ts';
import type { World } from '../../src/rows/world.ts';

/** A world that runs on, with what its judge has seen. */
interface Running {
  readonly judge: World['judge'];
  readonly now: number;
  pass(ms: number): void;
}

/** Returns a new world of the scenario, without a mutant. */
export function worldOf(scenario: string, seed: number): Running {
  return running(rows.newWorld(named(rows.scenarios, scenario), seed, undefined));
}

/** Returns a new world of the mutant. */
export function mutantWorld(name: string): Running {
  const { scenario, seeds, overrides } = named(rows.mutants, name);
  return running(rows.newWorld(named(rows.scenarios, scenario), seeds?.at(-1) ?? 1, overrides));
}

function running(world: World): Running {
  return {
    judge: world.judge,
    get now() {
      return world.now;
    },
    pass: (ms) => runUntil(world, world.now + ms),
  };
}
