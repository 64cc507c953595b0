import type { Mutant } from '../kernel/mutant.ts';
import { electionMutants } from './mutants-election.ts';
import { gossipMutants } from './mutants-gossip.ts';
import type { Overrides } from './world.ts';

/** All mutants of the protocol. */
export const mutants: readonly Mutant<Overrides>[] = [...gossipMutants, ...electionMutants];
