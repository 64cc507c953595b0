// The messages between the members of a group.
import type { Epoch } from './electorate.ts';
import type { Sample, Start } from './sample.ts';

/** One incarnation of a member, as a sender or as a holder of a lease. */
export interface Sender {
  readonly member: string;
  /** New and unguessable at every start: two incarnations of one member are two holders. */
  readonly incarnation: string;
}

/** Copies the identity and nothing else, so that stored senders do not retain larger objects. */
export function senderOf({ member, incarnation }: Sender): Sender {
  return { member, incarnation };
}

/** The role of a candidate when it sends a request. */
export type Standing =
  /** Does not lead. */
  | 'claiming'
  /** Leads, and renews. */
  | 'leading'
  /** Leads until its work has drained: a successor may already send its request (N6). */
  | 'leaving';

/** A request for the lease of one partition: the grantRequest of N2. */
export interface GrantRequest {
  readonly kind: 'grant-request';
  readonly partition: number;
  readonly start: Start;
  /** δ, in milliseconds. */
  readonly leaseMs: number;
  /** The token of the requested term (N16). */
  readonly token: bigint;
  readonly standing: Standing;
  /** The index of the member for which the sender gives up the lease; −1 for any. */
  readonly successor: number;
}

/** Grants the lease for the round that began at `start`. */
export interface Ok {
  readonly kind: 'ok';
  readonly partition: number;
  readonly start: Start;
  /**
   * The granter's clock at the grant, and its restart counter: its entry in the quorum timestamp
   * (N8).
   */
  readonly at: Sample;
  readonly life: number;
  /**
   * How long the request waited for the end of the lease (N6). It is not part of the round trip.
   * Milliseconds.
   */
  readonly waitedMs: number;
  /** The greatest token that this granter has granted to another incarnation (N16). */
  readonly rival: bigint;
  /** The epoch is about to end: the leader must drain and release (N13). */
  readonly isEnding: boolean;
}

/** The reason for a refusal. */
export type Refusal =
  /** Another incarnation holds it. */
  | 'held'
  /**
   * The voter has lost its memory. It waits until its forgotten grants have ended (N4), or for the
   * greatest token (N16).
   */
  | 'muted'
  /** δ exceeds the longest lease that this voter grants. */
  | 'too-long'
  /** The round has been released (N5). */
  | 'released'
  /** The sender's clock is too far ahead (N3). */
  | 'skew'
  /** The epoch is about to end, or has ended (N13). */
  | 'ending';

/** Refuses the lease, for now (N7). */
export interface Refused {
  readonly kind: 'refused';
  readonly partition: number;
  readonly start: Start;
  readonly why: Refusal;
  /** The holder, if the reason is `held`. */
  readonly holder: Sender | undefined;
  /** Whether the holder is about to release the lease: then the request waits at the voter. */
  readonly isLeaving: boolean;
  /**
   * The longest time for which the refusal applies. Milliseconds on the voter's clock; infinite if
   * it does not expire.
   */
  readonly forMs: number;
}

/**
 * Releases every grant of rounds up to `start`. The sender no longer believes that it leads (N5).
 */
export interface Release {
  readonly kind: 'release';
  readonly partition: number;
  readonly start: Start;
}

/** Requests a partition from its leader, which leads more of them than the sender. */
export interface LeaseRequest {
  readonly kind: 'lease-request';
  readonly partition: number;
  /** The number of partitions that the sender leads. */
  readonly leads: number;
}

/** Requests a sign of life (N9). */
export interface Ping {
  readonly kind: 'ping';
  readonly beat: number;
}

/** The answer to a ping. */
export interface Pong {
  readonly kind: 'pong';
  /** The answered ping. It proves that the sender receives this member's messages. */
  readonly beat: number;
  /** Whether a change caused this pong, not a ping: then it does not measure a round trip. */
  readonly isUnsolicited: boolean;
  /**
   * By partition: the index of the first member of the ring that stands, to the sender's knowledge;
   * −1 for none.
   */
  readonly stands: readonly number[];
}

/** Requests the greatest tokens, after a loss of memory (N16). */
export interface Learn {
  readonly kind: 'learn';
  readonly beat: number;
}

/** The greatest tokens granted, by partition. */
export interface Learned {
  readonly kind: 'learned';
  readonly beat: number;
  readonly tokens: readonly bigint[];
  /**
   * Whether the sender knows its grants in this epoch. `false` towards a requester that was also
   * without memory when the sender went on without.
   */
  readonly remembers: boolean;
  /**
   * The greatest epoch that may run, given what the sender has accepted, or may have accepted and
   * forgotten (N13).
   */
  readonly epochMax: number;
}

/** Asks whether the receiver leads (N12). */
export interface Verify {
  readonly kind: 'verify';
  readonly partition: number;
  readonly id: number;
}

/** How long the sender certainly still leads. */
export interface Remainder {
  readonly kind: 'remainder';
  readonly partition: number;
  readonly id: number;
  /** Milliseconds. 0 or less if the sender does not lead. */
  readonly remainderMs: number;
}

/**
 * Names an attempt to end an epoch. Ballots are ordered by round, then by name, then by
 * incarnation.
 */
export interface Ballot {
  readonly round: number;
  readonly member: string;
  /**
   * The incarnation that made the ballot: another incarnation of the member does not know of it.
   */
  readonly incarnation: string;
}

/** Asks a voter whether it can be wedged, before any voter is (N13). */
export interface Probe {
  readonly kind: 'probe';
  readonly ballot: Ballot;
}

/** The voter can be wedged: its commitments are stored, and it knows its grants. */
export interface Bindable {
  readonly kind: 'bindable';
  readonly ballot: Ballot;
}

/**
 * Asks a voter to grant no further lease in this epoch (N13), and names the proposed next epoch.
 */
export interface WedgeRequest {
  readonly kind: 'wedge';
  readonly ballot: Ballot;
  readonly next: Epoch;
}

/** The voter is wedged, and ignores lesser ballots. */
export interface Wedged {
  readonly kind: 'wedged';
  readonly ballot: Ballot;
  /** By partition: the greatest token that the voter has granted. */
  readonly tokens: readonly bigint[];
  /** The next epoch that the voter has accepted, and the ballot. */
  readonly accepted: Accepted | undefined;
}

/** A next epoch, as a voter accepted it. */
export interface Accepted {
  readonly ballot: Ballot;
  readonly next: Epoch;
}

/** Asks a wedged voter to accept the next epoch. */
export interface AcceptRequest {
  readonly kind: 'accept';
  readonly ballot: Ballot;
  readonly next: Epoch;
}

/** The voter has accepted. It sends this to all members, so that each can count a quorum. */
export interface AcceptedReply {
  readonly kind: 'accepted';
  readonly ballot: Ballot;
  readonly next: Epoch;
}

/** The voter has already promised a greater ballot. */
export interface Outranked {
  readonly kind: 'outranked';
  readonly by: Ballot;
}

/** All earlier epochs have ended, and this one runs. */
export interface Running {
  readonly kind: 'running';
  readonly epoch: Epoch;
}

/** Every message between members. */
export type Item =
  | GrantRequest
  | Ok
  | Refused
  | Release
  | LeaseRequest
  | Ping
  | Pong
  | Learn
  | Learned
  | Verify
  | Remainder
  | Probe
  | Bindable
  | WedgeRequest
  | Wedged
  | AcceptRequest
  | AcceptedReply
  | Outranked
  | Running;

/** Whether a member that takes the message may have to store a promise (N13). */
export function mayChangeHardState({ kind }: Item): boolean {
  return kind === 'wedge' || kind === 'accept';
}
