/**
 * Induction (I): leadership inferred from a broker's assignment and from beats on the partitions. It
 * prefers two leaders over none. Implement {@link Assignment} and {@link Beats} over a broker that
 * assigns partitions atomically.
 *
 * @packageDocumentation
 */

export type { Assigned, Assignment } from './induction/assignment.ts';
export { inductionBackend } from './induction/backend.ts';
export type { Beat, Standing } from './induction/beat.ts';
export { formatBeat, parseBeat } from './induction/beat-envelope.ts';
export type { BeatNews, Beats } from './induction/beats.ts';
export type { InducedOptions, InductionOptions, InductionParts, InductionTraits } from './induction/options.ts';
