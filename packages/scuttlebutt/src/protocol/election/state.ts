// The state of one member in the election. All times are readings of its own clock, in
// milliseconds since the start of its generation.
// Rule numbers such as R3: docs/reference/rules.md.

import type { Declaration, Life } from './declaration.ts';

/** The fixed properties of a member. The voters, P, r and the partitions are pinned (R3). */
export interface ElectionConfig {
  readonly member: string;
  readonly voters: readonly string[];
  readonly partitions: number;
  /** Whether this member may lead. */
  readonly isCandidate: boolean;
  /** P, in milliseconds: how long a voter that supported a member supports no other one. */
  readonly thresholdMs: number;
  /** How long this member relies on a vote: at most P. Default: P. Milliseconds. */
  readonly beliefMs?: number;
  /** r: the greatest error of any clock's rate. */
  readonly driftRate: number;
}

/** A voter's state for one partition. */
export interface VoterState {
  /** The favorite, also while it is suspected; `undefined` for none. */
  readonly favorite: Life | undefined;
  /** The greatest bound that was published for the favorite, and when it was last published. */
  readonly bound: number;
  readonly publishedAt: number;
  /** Set while the favorite is not supported. `isFinal`: not even if it is alive again. */
  readonly withdrawn: { readonly freeAt: number; readonly isFinal: boolean } | undefined;
  /**
   * Since when the favorite has not led. The time starts again once, when it first has a majority:
   * until then it could not lead.
   */
  readonly notLeadingSince: number | undefined;
  /** Whether it has had a majority in that time. */
  readonly hadMajority: boolean;
  /** The greatest claim that was accepted, and from whom. */
  readonly accepted: bigint;
  readonly acceptedFrom: Life | undefined;
}

/** A term of this member. */
interface Term {
  readonly token: bigint;
  readonly since: number;
  readonly until: number;
  readonly isRevoking: boolean;
}

/** A candidate's state for one partition. */
export interface CandidateState {
  /** Whether the host wants this member to lead here. */
  readonly isCampaigning: boolean;
  readonly term: Term | undefined;
  /** The token of its last term in this generation. */
  readonly lastToken: bigint;
  /** No vote with a bound up to this one counts. */
  readonly horizon: number;
  /** The member that should lead after the last resignation. */
  readonly successor: string | undefined;
  /** Whether this member asks the leader for the partition. */
  readonly isRequesting: boolean;
  /** A term that was left to lapse may still be believed by its work until then (H3). */
  readonly lapseUntil: number;
  /** How long it stays out at least once its resigned term is over. Milliseconds. */
  readonly abstainMs: number;
  /** How often it lost a term, or could begin none, since it last led for long. */
  readonly failures: number;
  /** It does not ask the leader for the partition before, and no further failure is counted. */
  readonly asksFrom: number;
  /** Whether no living leader was known when last reviewed: then the claim is renewed once. */
  readonly isVacant: boolean;
}

/** The progress of a voter that has lost its memory (T1). */
interface Memory {
  readonly remembers: boolean;
  /** The number of the current query; 0 before the first. */
  readonly query: number;
  readonly queriedAt: number;
  /** The other voters' lives that were known when the query was made. */
  readonly knownAtQuery: readonly Life[];
  /** The lives that were without memory when this voter found that a majority was. */
  readonly alsoForgot: readonly Life[];
}

/** The last vote of another voter, as its witness knows it (S7). */
export interface LastVote extends Life {
  readonly known: bigint;
  /** The generation that came next, as far as this member has met one. */
  readonly next: number | undefined;
}

/** A favorite that had a majority and did not lead. */
export interface SkippedFavorite extends Life {
  readonly partition: number;
  readonly until: number;
}

/** A leader as this member knows it. */
export interface KnownLeader extends Life {
  readonly token: bigint;
  /** Whether its term is about to end in order. */
  readonly isLeaving: boolean;
}

/** The state of one member in the election. */
export interface ElectionState {
  readonly generation: number;
  /** No favorite is declared before (S4). */
  readonly mutedUntil: number;
  /** Whether this member may vote and stand, as far as other pins are concerned (R4). */
  readonly isAdmitted: boolean;
  /** Whether this process has voted, claimed or led. */
  readonly hasTakenPart: boolean;
  readonly memory: Memory;
  /** Whether this life has ended in order: it accepts and publishes nothing any more (S7). */
  readonly hasClosed: boolean;
  /** The witnesses of the own last vote. */
  readonly witnesses: readonly Life[];
  readonly lastVotes: readonly LastVote[];
  /** By partition; empty if this member does not vote. */
  readonly voterStates: readonly VoterState[];
  readonly skippedFavorites: readonly SkippedFavorite[];
  /** By partition; empty if this member may not lead. */
  readonly candidateStates: readonly CandidateState[];
  readonly claim: bigint;
  /** The greatest token of any leader that this member has known. */
  readonly greatestToken: bigint;
  /** By partition. */
  readonly leaders: readonly (KnownLeader | undefined)[];
  readonly declaration: Declaration;
  /** The number of declarations so far. */
  readonly sequence: number;
}

const initialVoterState: VoterState = {
  favorite: undefined,
  bound: Number.NEGATIVE_INFINITY,
  publishedAt: Number.NEGATIVE_INFINITY,
  withdrawn: undefined,
  notLeadingSince: undefined,
  hadMajority: false,
  accepted: 0n,
  acceptedFrom: undefined,
};

const initialCandidateState: CandidateState = {
  isCampaigning: true,
  term: undefined,
  lastToken: 0n,
  horizon: Number.NEGATIVE_INFINITY,
  successor: undefined,
  isRequesting: false,
  lapseUntil: Number.NEGATIVE_INFINITY,
  abstainMs: 0,
  failures: 0,
  asksFrom: Number.NEGATIVE_INFINITY,
  isVacant: false,
};

/** Returns the state of a life that has just begun. */
export function newElection(
  { member, voters, partitions, isCandidate }: ElectionConfig,
  generation: number,
  rules: { readonly muteMs: number; readonly startsWithMemory: boolean },
): ElectionState {
  const isVoter = voters.includes(member);
  return {
    generation,
    mutedUntil: rules.muteMs,
    isAdmitted: false,
    hasTakenPart: false,
    memory: {
      remembers: rules.startsWithMemory,
      query: 0,
      queriedAt: 0,
      knownAtQuery: [],
      alsoForgot: [],
    },
    hasClosed: false,
    witnesses: [],
    lastVotes: [],
    voterStates: Array.from({ length: isVoter ? partitions : 0 }, () => initialVoterState),
    skippedFavorites: [],
    candidateStates: Array.from(
      { length: isCandidate ? partitions : 0 },
      () => initialCandidateState,
    ),
    claim: 0n,
    greatestToken: 0n,
    leaders: Array.from({ length: partitions }, () => undefined),
    declaration: { vote: undefined, candidacy: undefined },
    sequence: 0,
  };
}
