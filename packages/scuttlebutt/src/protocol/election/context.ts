// The data and functions that the files of the election share while one step runs. Rule numbers
// such as S3: docs/reference/rules.md.
import type { Draft } from '@leadership/core/internal/engine';
import { type Declaration, horizonOf, type Life, type Vote } from './declaration.ts';
import type { ElectionRules } from './rules.ts';
import type { CandidateState, ElectionConfig, ElectionState, VoterState } from './state.ts';

/** Another member as this one knows it. */
export interface Peer extends Life {
  readonly isAlive: boolean;
  /** A lower bound on its clock, now (S3). */
  readonly clock: number;
  readonly declaration: Declaration | undefined;
}

/** The other members. */
export interface Roster {
  get(member: string): Peer | undefined;
  /** All members that declare a candidacy. */
  candidates(): Iterable<Peer>;
}

/** The effects of the election, in this order. */
type ElectionOutput =
  | {
      readonly kind: 'granted';
      readonly partition: number;
      readonly token: bigint;
      readonly until: number;
      /** The own clock before the proof was requested: the least bound that it rests on. */
      readonly sentAt: number;
    }
  | { readonly kind: 'drain'; readonly partition: number; readonly token: bigint }
  | { readonly kind: 'released'; readonly partition: number }
  | { readonly kind: 'lost'; readonly partition: number }
  | { readonly kind: 'leader'; readonly partition: number };

/** The context of one review: a draft of the next state, and the outputs so far. */
export interface ElectionContext {
  readonly rules: ElectionRules;
  readonly config: ElectionConfig;
  readonly state: Draft<ElectionState>;
  readonly roster: Roster;
  readonly clock: number;
  readonly wallMicros: number;
  readonly outputs: ElectionOutput[];
  /** Whether something has changed that others should know at once. */
  hasChanged: boolean;
}

/** Replaces some fields of the voter's state for a partition. */
export function changeVoterState(
  { state }: ElectionContext,
  partition: number,
  change: Partial<VoterState>,
): void {
  state.voterStates = state.voterStates.map((one, index) =>
    index === partition ? { ...one, ...change } : one,
  );
}

/** Replaces some fields of the candidate's state for a partition. */
export function changeCandidateState(
  { state }: ElectionContext,
  partition: number,
  change: Partial<CandidateState>,
): void {
  state.candidateStates = state.candidateStates.map((one, index) =>
    index === partition ? { ...one, ...change } : one,
  );
}

/** Returns the vote of a configured voter, this member included. */
export function voteOf(
  { config, state, roster }: ElectionContext,
  voter: string,
): Vote | undefined {
  return voter === config.member ? state.declaration.vote : roster.get(voter)?.declaration?.vote;
}

/** Returns this member as others know it. */
export function selfOf({ config, state, clock }: ElectionContext): Peer {
  const { generation, declaration } = state;
  return { member: config.member, generation, isAlive: true, clock, declaration };
}

/** Returns a member, this one included, if it is known. */
export function peerOf(context: ElectionContext, member: string): Peer | undefined {
  return member === context.config.member ? selfOf(context) : context.roster.get(member);
}

/** Whether a member can be elected for a partition: it lives, stands, and does not stay out. */
export function isEligible(peer: Peer, partition: number): boolean {
  const stands = peer.declaration?.candidacy?.stands[partition] === true;
  return peer.isAlive && stands && !isAbstaining(peer, partition);
}

/** Whether a member counts no vote that could be published for it now. */
export function isAbstaining({ clock, declaration }: Peer, partition: number): boolean {
  return clock <= horizonOf(declaration?.candidacy, partition);
}
