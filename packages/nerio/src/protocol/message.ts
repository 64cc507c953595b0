import type { Epoch } from './electorate.ts';
import type { Sample, Start } from './sample.ts';

/** One life of a member: who sends, and who holds. */
export interface Sender {
  readonly member: string;
  /** Fresh and unguessable at every start: two lives of one member are two holders. */
  readonly incarnation: string;
}

/** Who that is, and nothing else that is known of them. */
export function senderOf({ member, incarnation }: Sender): Sender {
  return { member, incarnation };
}

/** What whoever asks for a lease is at that moment. */
export type Standing =
  /** Does not lead. */
  | 'contending'
  /** Leads, and renews. */
  | 'leading'
  /** Leads until its work has drained: a successor may already ask (N6). */
  | 'leaving';

/** A request for the lease of one partition: the grantRequest of N2. */
export interface Ask {
  readonly kind: 'ask';
  readonly partition: number;
  readonly start: Start;
  /** δ, in milliseconds. */
  readonly leaseMs: number;
  /** The token of the term that it is for (N16). */
  readonly token: bigint;
  readonly standing: Standing;
  /** Whom the asker leaves for, by index; −1 where nobody in particular is to follow. */
  readonly successor: number;
}

/** The lease is granted for the round that began at `start`. */
export interface Ok {
  readonly kind: 'ok';
  readonly partition: number;
  readonly start: Start;
  /** The granter's clock at the grant, and which of its lives it was: its entry in the quorum timestamp (N8). */
  readonly at: Sample;
  readonly life: number;
  /** How long the request has waited for the lease to end (N6): what a round trip is measured without. Milliseconds. */
  readonly waitedMs: number;
  /** The greatest token this granter has granted to anyone else (N16). */
  readonly rival: bigint;
  /** The epoch is about to end: drain and release (N13). */
  readonly isEnding: boolean;
}

/** Why a lease is not granted. */
export type Refusal =
  /** Another holds it. */
  | 'held'
  /** The voter has lost its memory, and waits for what it may have granted to end (N4), or for the greatest token (N16). */
  | 'muted'
  /** δ exceeds the greatest this voter grants. */
  | 'too-long'
  /** That round has been released (N5). */
  | 'released'
  /** The asker's clock is ahead by more than clocks may differ (N3). */
  | 'skew'
  /** The epoch is about to end, or has ended (N13). */
  | 'ending';

/** The lease is not granted, for now (N7). */
export interface Refused {
  readonly kind: 'refused';
  readonly partition: number;
  readonly start: Start;
  readonly why: Refusal;
  /** Who holds it, where that is why. */
  readonly holder: Sender | undefined;
  /** Whether the holder is about to release it: then the request waits for that. */
  readonly isLeaving: boolean;
  /** For how long at most it stays so. Milliseconds on the voter's clock; infinite where time does not mend it. */
  readonly forMs: number;
}

/** Whoever sent it believes no more, and gives back every grant of rounds up to `start` (N5). */
export interface Release {
  readonly kind: 'release';
  readonly partition: number;
  readonly start: Start;
}

/** Asks a leader for a partition, where it leads more of them than whoever asks. */
export interface Want {
  readonly kind: 'want';
  readonly partition: number;
  /** How many the asker leads. */
  readonly leads: number;
}

/** Asks for a sign of life (N9). */
export interface Ping {
  readonly kind: 'ping';
  readonly beat: number;
}

/** The answer to a ping. */
export interface Pong {
  readonly kind: 'pong';
  /** The ping that it answers: a member that does not hear us cannot say it. */
  readonly beat: number;
  /** Said because something has changed, not because it was asked: no measure of a round trip. */
  readonly isNews: boolean;
  /** By partition: the index of the first member of the ring that stands, as far as the sender knows; −1 for none. */
  readonly stands: readonly number[];
}

/** Asks for the greatest tokens, after a loss of memory (N16). */
export interface Learn {
  readonly kind: 'learn';
  readonly beat: number;
}

/** The greatest tokens granted, by partition. */
export interface Learned {
  readonly kind: 'learned';
  readonly beat: number;
  readonly tokens: readonly bigint[];
  /** Whether the sender knows what it has granted in this epoch, unless whoever asks had forgotten as well when the sender did without. */
  readonly remembers: boolean;
  /** The latest epoch that may run by what the sender has accepted to follow, or may have and has forgotten (N13). */
  readonly epochMax: number;
}

/** Asks whether the receiver leads (N12). */
export interface Verify {
  readonly kind: 'verify';
  readonly partition: number;
  readonly id: number;
}

/** For how long the sender surely leads still. */
export interface Remainder {
  readonly kind: 'remainder';
  readonly partition: number;
  readonly id: number;
  /** Milliseconds; 0 or less: it does not. */
  readonly remainderMs: number;
}

/** Names an attempt to end an epoch, and orders them: a greater round outranks, and of equal ones the greater name. */
export interface Ballot {
  readonly round: number;
  readonly member: string;
  /** Which life of the member: what another life of it has begun it knows nothing of. */
  readonly incarnation: string;
}

/** Asks a voter, before any is asked to be wedged, whether it could be (N13). */
export interface Probe {
  readonly kind: 'probe';
  readonly ballot: Ballot;
}

/** The voter could: what would bind it is kept, and it knows what it has granted. */
export interface Bindable {
  readonly kind: 'bindable';
  readonly ballot: Ballot;
}

/** Asks a voter to grant no lease in this epoch any more (N13), and says what is to follow. */
export interface WedgeRequest {
  readonly kind: 'wedge';
  readonly ballot: Ballot;
  readonly next: Epoch;
}

/** The voter is wedged, and heeds no lesser ballot. */
export interface Wedged {
  readonly kind: 'wedged';
  readonly ballot: Ballot;
  /** By partition: the greatest token it ever granted. */
  readonly tokens: readonly bigint[];
  /** What it has accepted to follow, and in which ballot. */
  readonly accepted: Accepted | undefined;
}

/** The next epoch as it was accepted by a voter. */
export interface Accepted {
  readonly ballot: Ballot;
  readonly next: Epoch;
}

/** Asks wedged voters to accept what follows. */
export interface AcceptRequest {
  readonly kind: 'accept';
  readonly ballot: Ballot;
  readonly next: Epoch;
}

/** A voter has accepted: said to all, so that each can count a quorum. */
export interface AcceptedReply {
  readonly kind: 'accepted';
  readonly ballot: Ballot;
  readonly next: Epoch;
}

/** A voter heeds a greater ballot already. */
export interface Outranked {
  readonly kind: 'outranked';
  readonly by: Ballot;
}

/** All earlier epochs have terminated; this one runs. */
export interface Running {
  readonly kind: 'running';
  readonly epoch: Epoch;
}

/** Everything members say to each other. */
export type Item =
  | Ask
  | Ok
  | Refused
  | Release
  | Want
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
