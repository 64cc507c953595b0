// A mutant replaces one rule of the protocol with a plausible wrong one. If the simulation cannot
// distinguish a mutant from the real protocol, the world or the rule is incomplete.
import { epochMutants } from './mutants-epoch.ts';
import { grantMutants } from './mutants-grant.ts';
import { leaderMutants } from './mutants-leader.ts';
import { livenessMutants } from './mutants-liveness.ts';
import type { Scenario } from './scenario.ts';
import type { Departure } from './simulate.ts';

/** A protocol with one rule replaced. */
export interface Mutant {
  /** Short description of the defect, in kebab case. */
  readonly name: string;
  /** The rule that the mutant breaks. */
  readonly rule: string;
  /** Description of the defect, as a sentence without its subject. */
  readonly does: string;
  /** The variant of the protocol that the mutant belongs to. */
  readonly clocks: Scenario['clocks'] | 'both';
  /** The scenario that provokes the defect best. */
  readonly scenario: string;
  /** The rule or the counter that exposes the defect. */
  readonly shows: string;
  /**
   * Length of one world in simulated milliseconds, before the world of the next seed begins.
   * Default: one world for the whole hunt. Some mutants soon leave the group without a leader,
   * which hides further violations, and therefore need short worlds.
   */
  readonly worldMs?: number;
  readonly departure: Departure;
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
