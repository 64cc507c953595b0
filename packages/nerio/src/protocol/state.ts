// The state of the machine in `step.ts`: everything that one member knows and remembers.
import type { Pulse } from '@leadership/core/internal/engine';
import type { Electorate, Epoch } from './electorate.ts';
import type { Claim, Grant } from './lease.ts';
import type { Members } from './members.ts';
import type { Accepted, Ballot, Sender } from './message.ts';
import type { Sample } from './sample.ts';

/**
 * The fixed properties of one incarnation of a member: the same in every step. Milliseconds are of
 * real time unless stated otherwise.
 */
export interface Self extends Sender {
  /** Grows with every restart of the member, so that samples compare across restarts (N8). */
  readonly life: number;
  readonly partitions: number;
  /** i: the spacing of rounds. With the round trip it determines δ (N10). */
  readonly spacingMs: number;
  /** The lower bound of d, for when messages are faster (N10). */
  readonly roundTripMs: number;
  /**
   * δ_max: the longest lease that is requested or granted. The same for every member of a group.
   */
  readonly leaseMsMax: number;
  /** ρ. */
  readonly driftRate: number;
  /** Δ: the greatest difference between two clocks (N3). 0 under the drift rules. */
  readonly skewMs: number;
  /** The interval between pings to neighbours in the ring. */
  readonly pingMs: number;
  /** In [0, 1): spreads this member's waiting times from those of other members. */
  readonly jitter: number;
}

/** A neighbour in the ring (N9). */
export interface Peer {
  /** Only while this member pings the neighbour. */
  readonly pulse: Pulse | undefined;
  /** The `stands` of the neighbour's latest pong. */
  readonly stands: readonly number[] | undefined;
  /**
   * The beat of the neighbour's latest ping and its arrival. The neighbour receives changes for as
   * long as it continues to ping.
   */
  readonly lastPing: number;
  readonly lastPingAt: number;
}

/** A voter's permanent commitments. They are on disk before another member learns of them (N13). */
export interface Wedge {
  readonly promised: Ballot;
  readonly accepted: Accepted | undefined;
  /** The epoch that the wedging ballot proposes. */
  readonly proposed: Epoch;
  /** By partition: the greatest granted token. This voter grants no further token in this epoch. */
  readonly tokens: readonly bigint[];
}

/** An attempt to end the epoch (N13). */
export interface Proposal {
  readonly ballot: Ballot;
  readonly next: Epoch;
  /**
   * The voters that have confirmed that they can be wedged. The proposer sends no wedge request
   * before they are enough to end the epoch.
   */
  readonly bindable: Members;
  /** The deadline for these confirmations: an old confirmation may no longer be true. */
  readonly probesUntil: number;
  readonly wedged: Members;
  readonly tokens: readonly bigint[];
  readonly bestAccepted: Accepted | undefined;
  /** The epoch of the accept requests, once a quorum is wedged. */
  readonly accepting: Epoch | undefined;
  readonly accepted: Members;
  readonly retryAt: number;
}

/**
 * A member that has answered that it has lost its memory. It was without memory at every moment
 * between `from` and `to`.
 */
export interface Forgetful {
  readonly incarnation: string;
  /** The arrival of its first such answer. */
  readonly from: number;
  /** The sending time of the latest query that it has answered. */
  readonly to: number;
}

/** The progress of a voter without memory (N16). */
export interface Learning {
  /** The members that have answered that they remember. Their answers stay valid. */
  readonly remembering: Members;
  /** By index: the members that have answered that they lost their memory too. */
  readonly forgetful: readonly (Forgetful | undefined)[];
  readonly askAt: number;
  readonly beat: number;
  /** The sending times of the latest queries, newest first. */
  readonly beatsAt: readonly number[];
  /** The sending time of the first query; infinite before. */
  readonly since: number;
  /**
   * By index: the incarnation of each other member from which a message has arrived since the
   * start.
   */
  readonly met: readonly (string | undefined)[];
  /** The members that have answered and have not accepted a next epoch. */
  readonly unbound: Members;
}

/** A verification query without an answer yet (N12). */
export interface Query {
  readonly id: number;
  readonly partition: number;
  readonly member: string;
  readonly startedAt: number;
}

/** A request of the host for the leader, without an answer yet (N11). */
export interface Seeker {
  readonly id: number;
  readonly partition: number;
  readonly until: number;
}

/** A newcomer's knowledge about the pins of other members. */
export interface Newcomer {
  /** The members that have answered with the same pin, or cannot be reached. */
  readonly tried: readonly string[];
  /** Whether other members can connect to this one. */
  readonly isListening: boolean;
  /** The end of the wait for members that have not been tried, on the lease clock. */
  readonly until: number;
  /** The members of its epoch that have another pin. */
  readonly unlike: Members;
  /** Whether it has met another pin: then it never takes part. */
  readonly isRefused: boolean;
  /** Whether it may take part from now on, unless it meets another pin before it does. */
  readonly isAdmitted: boolean;
}

/** Measures the round trips: the longest of the latest ones (N10). */
export interface RoundTrip {
  /**
   * The longest usual round trip in this window and in the previous one. At least 999 of 1000 are
   * shorter.
   */
  readonly longestMs: number;
  readonly longestBeforeMs: number;
  readonly measured: number;
  /** The longest of all round trips in this short window and in the previous one. */
  readonly slowestMs: number;
  readonly slowestBeforeMs: number;
  readonly measuredOfAll: number;
}

/** The voters that have accepted a next epoch, in the greatest ballot received so far. */
export interface Acceptances {
  readonly ballot: Ballot;
  readonly next: Epoch;
  readonly by: Members;
}

/** The complete state of one member. Plain data, except for the functions of the quorum system. */
export interface MemberState {
  readonly self: Self;
  readonly lastSample: Sample;
  readonly electorate: Electorate;
  /** The index in the epoch; −1 for a member outside the epoch. */
  readonly index: number;
  readonly campaigning: boolean;
  /** The members that this newcomer has tried, until it first grants or claims (R4). */
  readonly newcomer: Newcomer | undefined;
  /**
   * Whether the member's hard state is complete. After a loss it grants in no epoch that it may have
   * helped to end (N13). A member with `none` cannot help to end one.
   */
  readonly hardStateStatus: 'kept' | 'lost' | 'none';
  /**
   * The last epoch in which forgotten earlier incarnations may have taken part; infinite while
   * unknown.
   */
  readonly forgotThrough: number;
  readonly mutedUntil: number;
  /**
   * The progress of a member that must learn before it grants; `undefined` for a member with
   * memory.
   */
  readonly learning: Learning | undefined;
  /**
   * The incarnations that were present when this member found that a quorum had lost its memory.
   */
  readonly forgotWith: readonly string[];
  readonly wedge: Wedge | undefined;
  /** A wedge request that waits for the end of the leases. */
  readonly pendingWedge:
    | { readonly from: string; readonly ballot: Ballot; readonly next: Epoch }
    | undefined;
  readonly proposal: Proposal | undefined;
  /** The voters that have announced their acceptance of a next epoch. */
  readonly acceptances: Acceptances | undefined;
  /**
   * By index: the later epoch that a voter reported as running. `inquireAt`: the time of the next
   * inquiry.
   */
  readonly saidToRun: readonly (Epoch | undefined)[];
  readonly inquireAt: number;
  /** The greatest round of an attempt that this member has made or received. */
  readonly knownRound: number;
  /** The time at which a wedged voter replaces a stalled attempt. */
  readonly takeOverAt: number;
  readonly grants: readonly Grant[];
  readonly claims: readonly Claim[];
  readonly peers: readonly Peer[];
  readonly beat: number;
  /** The sending times of the latest pings, newest first. */
  readonly beatsAt: readonly number[];
  readonly pingAt: number;
  /**
   * The next time at which the ring needs work: a ping is due, or a silence has lasted too long.
   */
  readonly ringDueAt: number;
  /** By partition: the first member of the ring that stands, as reported to others. */
  readonly stands: readonly number[];
  readonly roundTrip: RoundTrip;
  /**
   * The next time at which this member compares the number of its partitions with that of others.
   */
  readonly shareAt: number;
  readonly queries: readonly Query[];
  readonly seekers: readonly Seeker[];
}

/**
 * The part of the state that a member must never forget (N13): its epoch and its commitments there.
 */
export interface HardState {
  readonly epoch: Epoch;
  readonly wedge: Wedge | undefined;
  /**
   * After a loss of hard state: the last epoch in which there may have been any. Infinite while unknown.
   */
  readonly lostThrough?: number;
}
