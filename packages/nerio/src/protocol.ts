/**
 * The protocol itself, for code that runs it in its own environment: simulations, searches and
 * tests. One pure `step` per input, no clock, no IO, no randomness.
 *
 * @packageDocumentation
 */

export { compareEdicts, type EdictStamp } from './protocol/edict.ts';
export {
  type Electorate,
  type Epoch,
  type EpochMember,
  electorateOf,
  faultInEpoch,
} from './protocol/electorate.ts';
export { afterLoss, type InitialInput, newMember } from './protocol/initial-state.ts';
export type { NerioInput } from './protocol/input.ts';
export type { Claim, Grant, LeaseState } from './protocol/lease.ts';
export type { Members } from './protocol/members.ts';
export { isWorthKeeping, type Memory, memoryOf } from './protocol/memory.ts';
export type { Item, Sender } from './protocol/message.ts';
export type { NerioOutput, Verdict } from './protocol/output.ts';
export { meetsEveryQuorum, type QuorumSpec } from './protocol/quorums.ts';
export { driftRules, type NerioRules, skewRules } from './protocol/rules.ts';
export { isBefore, type Sample, type Start } from './protocol/sample.ts';
export type { HardState, MemberState, Peer, RoundTrip, Self } from './protocol/state.ts';
export { step, stepAll } from './protocol/step.ts';
