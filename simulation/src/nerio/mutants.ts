// A mutant replaces one rule of the protocol with a plausible wrong one. If the simulation cannot
// distinguish a mutant from the real protocol, the world or the rule is incomplete.
import type { MutantOf } from '../kernel/mutant.ts';
import { epochMutants } from './mutants-epoch.ts';
import { grantMutants } from './mutants-grant.ts';
import { leaderMutants } from './mutants-leader.ts';
import { livenessMutants } from './mutants-liveness.ts';
import type { Scenario } from './scenario.ts';
import type { Departure } from './simulate.ts';

/** Nerio with one rule replaced. */
export interface Mutant extends MutantOf<Departure> {
  /** The variant of the protocol that the mutant belongs to. */
  readonly clocks: Scenario['clocks'] | 'both';
  /**
   * Length of one world in simulated milliseconds, before the world of the next seed begins.
   * Default: one world for the whole hunt. Some mutants soon leave the group without a leader,
   * which hides further violations, and therefore need short worlds.
   */
  readonly worldMs?: number;
}

/** Returns all mutants of one variant of the protocol that the simulation catches. */
export function mutantsOf(clocks: Scenario['clocks']): readonly Mutant[] {
  return all.filter((mutant) => mutant.clocks === clocks || mutant.clocks === 'both');
}

const all: readonly Mutant[] = [
  ...grantMutants,
  ...leaderMutants,
  ...epochMutants,
  ...livenessMutants,
];
