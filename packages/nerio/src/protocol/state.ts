import type { Instant } from '@leadership/core/backend';
import type { Moment } from '@leadership/core/engine';
import type { Pulse } from './detector.ts';
import type { QuorumTimestamp } from './edict.ts';
import type { Electorate, Epoch } from './electorate.ts';
import type { Members } from './members.ts';
import type { Accepted, Ask, Ballot, Sender } from './message.ts';
import type { Newcomer } from './newcomer.ts';
import type { RoundTrip } from './round-trip.ts';
import type { Sample, Start } from './sample.ts';
import type { Acceptances } from './succession.ts';

/** What one life of a member is and was told: the same in every step. Milliseconds are real ones unless said otherwise. */
export interface Self extends Sender {
  /** Grows with every restart of the member (N8). */
  readonly life: number;
  readonly partitions: number;
  /** i: how far apart rounds are at least. With the round trip it makes δ (N10). */
  readonly spacingMs: number;
  /** The least d that is reckoned with, however fast messages are (N10). */
  readonly roundTripMs: number;
  /** δ_max: the longest lease that is asked for or granted. The same at every member of a group. */
  readonly leaseMsMax: number;
  /** ρ. */
  readonly driftRate: number;
  /** Δ: how far two clocks differ at most (N3). 0 where drift is all that is assumed. */
  readonly skewMs: number;
  /** How often neighbours in the ring are asked for a sign of life. */
  readonly pingMs: number;
  /** In [0, 1): tells this member's waits from others'. */
  readonly jitter: number;
}

/** What a voter knows of one partition's lease. Instants are on the clock that leases are measured by. */
export interface Grant {
  /** A: to whom it is granted. */
  readonly holder: Sender | undefined;
  /** F: until when. */
  readonly until: number;
  /** S: the latest round of the holder that was granted. */
  readonly start: Sample;
  /** The holder leads only until its work has drained (N6), and for whom it leaves: an index, −1 for nobody in particular. */
  readonly isLeaving: boolean;
  readonly successor: number;
  /** Until when a lease that was given back is kept for whom it was given back for. */
  readonly keptUntil: number;
  readonly released: readonly Released[];
  /** Requests that wait for the lease to end (N6): one per candidate. */
  readonly queue: readonly Queued[];
  /** The greatest token granted, and to which incarnation: `undefined` if it may have been to several (N16). */
  readonly token: bigint;
  readonly tokenBy: string | undefined;
  /** Who leads, as far as it told us; and until when that is news. */
  readonly leader: KnownLeader | undefined;
  readonly leaderUntil: number;
}

/** A leader, by its own word. */
export interface KnownLeader extends Sender {
  readonly token: bigint;
}

/** The latest round that a member gave back (N5). */
export interface Released {
  readonly member: string;
  readonly start: Start;
}

/** A request that waits for the lease to end. */
export interface Queued {
  readonly from: Sender;
  readonly index: number;
  readonly ask: Ask;
  readonly arrivedAt: number;
  /** The voter's clock when it came: what a grant must not be stamped with (N8). */
  readonly sample: Sample;
}

/** A round of asking for the lease (N2). */
export interface Round {
  readonly ask: Ask;
  readonly granted: Members;
  readonly refused: Members;
  /** The greatest token that granters know of others (N16). */
  readonly rival: bigint;
  /** By index: each granter's clock (N8). */
  readonly timestamp: QuorumTimestamp;
  /** How long the refusals that stand in the way last at most. */
  readonly waitMs: number;
  /** When the next round follows, if this one has not come to its end. */
  readonly retryAt: number;
  /** When a contest is given up. Infinite for a renewal. */
  readonly giveUpAt: number;
}

/** What this member is to the partition. */
export type Tenure =
  | { readonly kind: 'follower' }
  /** Believes to lead until E; while revoking, only until its work has drained (H2). */
  | {
      readonly kind: 'leading' | 'revoking';
      readonly token: bigint;
      /** E, on the clock that leases are measured by. */
      readonly until: number;
      /** The same as the host was told it, on the monotonic clock. */
      readonly deadline: Instant;
      readonly timestamp: QuorumTimestamp;
      /** The latest deadline that a verifier was promised (N12). */
      readonly promisedUntil: Instant;
      /** When the term began. */
      readonly since: number;
      /** By when the members have heard that it is leaving (N6), and for whom it leaves. */
      readonly announcedBy: number;
      readonly successor: number;
      readonly hasDrained: boolean;
    };

/** A tenure whose holder believes to lead, until a deadline. */
export type Believing = Tenure & { readonly kind: 'leading' | 'revoking' };

/** What a candidate knows and intends about one partition. */
export interface Claim {
  readonly tenure: Tenure;
  readonly round: Round | undefined;
  /** The latest round begun: what a release gives back (N5). */
  readonly lastStart: Start | undefined;
  readonly renewAt: number;
  /** Not before this does the member try again after a round that failed (N9). */
  readonly yieldUntil: number;
  /** How many contests in a row have come to nothing. */
  readonly failures: number;
  /** Not before this does it contend, having given the partition up. */
  readonly abstainUntil: number;
  /** The same, because a lease is left to lapse (H3): nothing ends it earlier. */
  readonly lapseUntil: number;
  /** How long the member leaves the partition alone once the term that it gives up is over, however long the work takes to drain (L9). */
  readonly abstainMs: number;
  /** For whom the partition is to be left, where somebody wanted it: an index, −1 for nobody in particular. */
  readonly wantedBy: number;
  /** Someone asked for a leader, and there is none: tries although it is not the weak leader (N11). */
  readonly isUrged: boolean;
  /** Edicts created so far. */
  readonly edicts: number;
  /** The greatest token led with or proposed. */
  readonly ownToken: bigint;
  readonly toldLeader: KnownLeader | undefined;
  readonly toldWeak: number;
}

/** A neighbour in the ring (N9). */
export interface Peer {
  /** Only where it is asked for signs of life. */
  readonly pulse: Pulse | undefined;
  /** What its last sign of life said. */
  readonly stands: readonly number[] | undefined;
  /** Its own latest ping, and when it came: it is told of what changes for as long as it keeps asking. */
  readonly asked: number;
  readonly askedAt: number;
}

/** What a voter has bound itself to, for ever: on disk before anyone hears of it (N13). */
export interface Wedge {
  readonly promised: Ballot;
  readonly accepted: Accepted | undefined;
  /** What the wedging ballot wants to follow. */
  readonly proposed: Epoch;
  /** By partition: the greatest token it granted. None is granted any more. */
  readonly tokens: readonly bigint[];
}

/** An attempt to end the epoch (N13). */
export interface Proposal {
  readonly ballot: Ballot;
  readonly next: Epoch;
  /** Who could be wedged, by its own word. Nobody is asked to be before that is enough of them to end the epoch. */
  readonly bindable: Members;
  /** Until when they have to have said so, all of them: what was true long ago need not be any more. */
  readonly probesUntil: number;
  readonly wedged: Members;
  readonly tokens: readonly bigint[];
  readonly bestAccepted: Accepted | undefined;
  /** What wedged voters are asked to accept, once a quorum is wedged. */
  readonly accepting: Epoch | undefined;
  readonly accepted: Members;
  readonly retryAt: number;
}

/** A member that has answered that it has forgotten: it had at every moment between its first such answer and the latest question it has answered. */
export interface Forgetful {
  readonly incarnation: string;
  /** When its first answer came. */
  readonly from: number;
  /** When the latest question that it has answered was sent. */
  readonly to: number;
}

/** What a voter without memory has learnt so far (N16). */
export interface Learning {
  /** Which members have answered that they remember: what they said holds for good. */
  readonly remembering: Members;
  /** By index: a member that has answered that it has forgotten as well. */
  readonly forgetful: readonly (Forgetful | undefined)[];
  readonly askAt: number;
  readonly beat: number;
  /** When the latest questions were sent, the newest first. */
  readonly beatsAt: readonly number[];
  /** When the first question was sent; infinite before. */
  readonly since: number;
  /** By index: which life of each other member was heard in the meantime. */
  readonly met: readonly (string | undefined)[];
  /** Who has answered, and has accepted no epoch to follow. */
  readonly unbound: Members;
}

/** A question whether another leads, on its way (N12). */
export interface Query {
  readonly id: number;
  readonly partition: number;
  readonly member: string;
  readonly startedAt: number;
}

/** Someone who looks for the leader, and waits (N11). */
export interface Seeker {
  readonly id: number;
  readonly partition: number;
  readonly until: number;
}

/** Everything one member knows and intends. Plain data, but for the functions of the quorum system. */
export interface MemberState {
  readonly self: Self;
  readonly lastSample: Sample;
  readonly electorate: Electorate;
  /** Index in the epoch; −1 for one that is not of it. */
  readonly index: number;
  readonly campaigning: boolean;
  /** Until this member first grants or claims: which members it has tried (R4). */
  readonly newcomer: Newcomer | undefined;
  /** What has become of its vows: a member that lost them grants in no epoch that it may have helped to end (N13). One that makes none cannot. */
  readonly vows: 'kept' | 'lost' | 'none';
  /** Up to which epoch former lives may have taken part, of which it knows nothing; infinite where that has yet to be found out. */
  readonly forgotThrough: number;
  readonly mutedUntil: number;
  /** Left to learn before it grants; `undefined` for one that remembers. */
  readonly learning: Learning | undefined;
  /** Who was there, by incarnation, when it found that a quorum had forgotten. */
  readonly forgotWith: readonly string[];
  readonly wedge: Wedge | undefined;
  /** A wedge that waits for the leases to end. */
  readonly wedgeAsked: { readonly from: string; readonly ballot: Ballot; readonly next: Epoch } | undefined;
  readonly proposal: Proposal | undefined;
  /** Which voters have accepted what is to follow, by their own word. */
  readonly acceptances: Acceptances | undefined;
  /** By index: the later epoch that a voter said to run; and when they are asked again. */
  readonly saidToRun: readonly (Epoch | undefined)[];
  readonly inquireAt: number;
  /** The greatest round of an attempt that it has made, or was told of. */
  readonly knownRound: number;
  /** When a wedged voter takes over an attempt that came to nothing. */
  readonly takeOverAt: number;
  readonly grants: readonly Grant[];
  readonly claims: readonly Claim[];
  readonly peers: readonly Peer[];
  readonly beat: number;
  /** When the latest pings were sent, the newest first. */
  readonly beatsAt: readonly number[];
  readonly pingAt: number;
  /** When the ring has to be looked after next: by a ping, or because a silence has lasted too long. */
  readonly ringDueAt: number;
  /** By partition: the first member of the ring that stands, as told to others. */
  readonly stands: readonly number[];
  readonly roundTrip: RoundTrip;
  /** When this member looks next whether it leads less than its share. */
  readonly shareAt: number;
  readonly queries: readonly Query[];
  readonly seekers: readonly Seeker[];
}

/** What must never be forgotten (N13): the epoch a member is in, and what it has bound itself to there. */
export interface Vow {
  readonly epoch: Epoch;
  readonly wedge: Wedge | undefined;
  /** Where vows were lost: up to which epoch there may have been any. Infinite as long as nobody knows. */
  readonly lostThrough?: number;
}

export type { Moment };
