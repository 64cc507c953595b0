/**
 * Induction (rules I of the protocol): leader election over a broker that assigns partitions, and over
 * beats that show whether the assignment is current. For the backends of this repository that offer
 * the guarantee `continuous`.
 *
 * It is not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @packageDocumentation
 */
export type { Assigned, Assignment } from './assignment.ts';
export { inductionBackend } from './backend.ts';
export type { Beat } from './beat.ts';
export { formatBeat, parseBeat } from './beat-envelope.ts';
export type { BeatEvent, Beats } from './beats.ts';
export type { InductionOptions, InductionParts, InductionTraits } from './options.ts';
