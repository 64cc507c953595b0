// A mutant is one rule of the protocol replaced by a plausible wrong one. If the simulated world does not tell a mutant from the real
// thing, the world, or the rule, is missing something.
import { epochMutants } from './mutants-epoch.ts';
import { grantMutants } from './mutants-grant.ts';
import { leaderMutants } from './mutants-leader.ts';
import { livenessMutants } from './mutants-liveness.ts';
import type { Scenario } from './scenario.ts';
import type { Departure } from './simulate.ts';

/** One rule replaced. */
export interface Mutant {
  /** What it does wrong, in a few words: kebab case. */
  readonly name: string;
  /** The rule it breaks. */
  readonly rule: string;
  /** What it does wrong, in a sentence. */
  readonly does: string;
  /** Which of the two protocols it is a mutant of. */
  readonly clocks: Scenario['clocks'] | 'both';
  /** The scenario that provokes it best. */
  readonly scenario: string;
  /** The rule or the counter it is caught by. */
  readonly shows: string;
  /**
   * How long one world is simulated before the next seed's begins. Milliseconds. Default: one world for the whole hunt. Short ones
   * are for mutants whose damage soon leaves the group without a leader: nothing can be seen broken from then on.
   */
  readonly worldMs?: number;
  readonly departure: Departure;
}

/** Every mutant of one of the two protocols that the simulation is known to catch. */
export function mutantsOf(clocks: Scenario['clocks']): readonly Mutant[] {
  return all.filter((mutant) => mutant.clocks === clocks || mutant.clocks === 'both');
}

const all: readonly Mutant[] = [...grantMutants, ...leaderMutants, ...epochMutants, ...livenessMutants];
