/**
 * The protocol itself, for code that runs it in its own environment: simulations, searches and
 * tests. One pure `step` per input, no clock, no IO, no randomness.
 *
 * @internal
 * @packageDocumentation
 */

export { thresholdMsMin } from './protocol/durations.ts';
export type { Life } from './protocol/election/declaration.ts';
export type { Row } from './protocol/gossip/node.ts';
export type { ScuttlebuttInput } from './protocol/input.ts';
export type { Message } from './protocol/message.ts';
export type { ScuttlebuttOutput } from './protocol/output.ts';
export { type ScuttlebuttRules, scuttlebuttRules } from './protocol/rules.ts';
export {
  generationAt,
  type InitialInput,
  type MemberConfig,
  type MemberState,
  newMember,
} from './protocol/state.ts';
export { step } from './protocol/step.ts';
