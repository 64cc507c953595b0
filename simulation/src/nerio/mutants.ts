// Every mutant of Nerio: the protocol with one rule replaced by a plausible mistake. `npm run
// simulate -- --mutant NAME` and the tests run worlds of each until the judge notices it.
import type { Mutant } from '../kernel/mutant.ts';
import { epochMutants } from './mutants-epoch.ts';
import { grantMutants } from './mutants-grant.ts';
import { leaderMutants } from './mutants-leader.ts';
import { livenessMutants } from './mutants-liveness.ts';
import type { Overrides } from './rules.ts';
import type { Scenario } from './scenario.ts';

/** Returns all mutants of one variant of the protocol that the simulation catches. */
export function mutantsOf(clocks: Scenario['clocks']): readonly Mutant<Overrides>[] {
  return all.filter(({ variant = clocks }) => variant === clocks);
}

const all: readonly Mutant<Overrides>[] = [
  ...grantMutants,
  ...leaderMutants,
  ...epochMutants,
  ...livenessMutants,
];
