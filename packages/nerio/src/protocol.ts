/**
 * The protocol itself, for code that runs it in its own environment: simulations, searches and
 * tests. One pure `step` per input, no clock, no IO, no randomness.
 *
 * @packageDocumentation
 */

export {
  compareEdicts,
  type EdictStamp,
  type GranterSample,
  precedesAtGranter,
  type QuorumTimestamp,
} from './protocol/edict.ts';
export {
  type Electorate,
  type Epoch,
  type EpochMember,
  electorateOf,
  faultInEpoch,
} from './protocol/electorate.ts';
export { afterLoss, type InitialInput, newMember } from './protocol/initial-state.ts';
export type { NerioInput } from './protocol/input.ts';
export type {
  Believing,
  Claim,
  Grant,
  KnownLeader,
  LeaseState,
  Queued,
  Released,
  Round,
} from './protocol/lease.ts';
export type { Members } from './protocol/members.ts';
export { isWorthKeeping, type KeptGrant, type Memory, memoryOf } from './protocol/memory.ts';
export type {
  Accepted,
  AcceptedReply,
  AcceptRequest,
  Ballot,
  Bindable,
  GrantRequest,
  Item,
  Learn,
  Learned,
  LeaseRequest,
  Ok,
  Outranked,
  Ping,
  Pong,
  Probe,
  Refusal,
  Refused,
  Release,
  Remainder,
  Running,
  Sender,
  Standing,
  Verify,
  Wedged,
  WedgeRequest,
} from './protocol/message.ts';
export type { NerioOutput, Step, Verdict } from './protocol/output.ts';
export { meetsEveryQuorum, type QuorumSpec, type Quorums } from './protocol/quorums.ts';
export { driftRules, type NerioRules, skewRules } from './protocol/rules.ts';
export { isBefore, type Sample, type Start } from './protocol/sample.ts';
export type {
  Acceptances,
  Forgetful,
  HardState,
  Learning,
  MemberState,
  Newcomer,
  Peer,
  Proposal,
  Query,
  RoundTrip,
  Seeker,
  Self,
  Wedge,
} from './protocol/state.ts';
export { step, stepAll } from './protocol/step.ts';
