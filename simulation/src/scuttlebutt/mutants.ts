// Every mutant of gossip: the protocol with one rule replaced by a plausible mistake. `npm run
// simulate -- --mutant NAME` and the tests run worlds of each until the judge notices it.
import type { Mutant } from '../kernel/mutant.ts';
import { electionMutants } from './mutants-election.ts';
import { gossipMutants } from './mutants-gossip.ts';
import type { Overrides } from './world.ts';

/** All mutants of the protocol. */
export const mutants: readonly Mutant<Overrides>[] = [...gossipMutants, ...electionMutants];
