// The numbers and comparisons that the guarantees depend on. Each is a separate function, so that a
// test can replace one of them with a mutant. The engine only decides when to call them.
// Rule numbers such as I2: docs/reference/rules.md.
import type { Instant } from '@leadership/core/adapter';
import { after, leavesRoom, nextToken } from '@leadership/core/internal/engine';
import type { Beat } from '../beat.ts';
import type { Bracket, BrokerClock, MemberConfig, Sample, Sent } from './state.ts';

/**
 * Every protocol rule that is a number or a comparison. The engine contains no copy of any of them.
 */
export interface InductionRules {
  /** I1: Returns the deadline of a leadership that was proved at `provedAt`. */
  believeUntil(provedAt: Instant, self: MemberConfig): Instant;
  /**
   * I1: Returns what a leader does once another member is assigned: it leads until that member
   * does, drains at once, or stops without a drain.
   */
  whenSucceeded(self: MemberConfig): 'linger' | 'drain' | 'drop';
  /** I1: Returns whether a beat extends the lease of a member that is no longer in charge. */
  provesWhileFrozen(): boolean;
  /** I1: Returns whether a successor of that standing leads, so that this member may stop. */
  takesOver(standing: Beat['standing']): boolean;
  /**
   * I1: Returns whether another member, assigned by decision `theirs`, was put in charge after this
   * member, which was assigned by decision `own`.
   */
  succeeds(theirs: number | undefined, own: number | undefined, isAssigned: boolean): boolean;
  /**
   * I1: Returns whether a member whose own beats do not arrive accepts any owner that beats as its
   * successor.
   */
  yieldsUnread(): boolean;
  /**
   * H2: Returns whether a term ends that its member resigned, even if the partition is assigned to
   * that member again before another leads.
   */
  endsWhenResigned(): boolean;
  /**
   * I1: Returns whether a beat that was sent under an earlier assignment still proves anything.
   */
  outlastsAppointment(): boolean;
  /**
   * I2: Returns the publication instant of an own beat, never later than the real one. The result
   * must not depend on `receivedAt`.
   */
  ownPublishedAt(sent: Sent, receivedAt: Instant): Instant;
  /**
   * I2: Returns the publication instant of another member's beat, which according to the broker's
   * stamp is not before `earliest`.
   */
  publishedAt(earliest: Instant, receivedAt: Instant): Instant;
  /**
   * I2: Returns the least time that passed on this member's clock while the broker's clock advanced
   * by `brokerMs`. Both may be negative.
   */
  leastElapsedMs(brokerMs: number, driftRate: number): number;
  /** I2: Returns whether a sample is consistent with the known relation of the clocks. */
  agrees(known: Bracket, sample: Sample): boolean;
  /**
   * I2: Returns whether another member's stamp, which places its beat at `earliest` or later, can
   * be correct.
   */
  isPossible(earliest: Instant, receivedAt: Instant): boolean;
  /**
   * I2: Returns what remains known of the broker's clock after another broker took over the
   * partition.
   */
  afterRestart(clock: BrokerClock | undefined): BrokerClock | undefined;
  /** I3: Returns whether beats of other members count. */
  countsOthers(self: MemberConfig): boolean;
  /** I3, I4: Returns whether a term may begin before the member has read one of its own beats. */
  beginsUnread(): boolean;
  /** I5: Returns how long a new assignee must be proved before it leads. */
  graceMs(self: MemberConfig): number;
  /**
   * I9: Returns for how long a member reads none of the beats that it sent before it asks for another
   * owner of the partition. Infinite if that may change nothing, or if members may lead only alone: no
   * backend offers that.
   */
  unreturnedMs(self: MemberConfig): number;
  /** I9: Returns how soon a beat must come back to show that the beats of a member return. */
  returnWithinMs(self: MemberConfig): number;
  /** I9: Returns how often a member without the partition tries whether its beats return. */
  probeMs(self: MemberConfig): number;
  /** I9: Returns whether such a member takes no partition until a beat comes back. */
  awaitsReturn(): boolean;
  /** I6: Returns whether the beat belongs to this election. */
  isOurs(beat: Beat, self: MemberConfig): boolean;
  /** T1: Returns whether a token counts: it leaves room for later ones. */
  leavesRoom(token: bigint, wallMicros: number): boolean;
  /** T1: Returns the token of a new term. */
  token(previous: bigint, wallMicros: number): bigint;
}

/** The rules as specified in the protocol document. */
export const inductionRules: InductionRules = {
  believeUntil: (provedAt, { thresholdMs, driftRate }) =>
    after(provedAt, thresholdMs * (1 - driftRate)),
  whenSucceeded: ({ promise }) => (promise === 'continuous' ? 'linger' : 'drain'),
  provesWhileFrozen: () => false,
  takesOver: (standing) => standing === 'leading',
  succeeds: (theirs, own, isAssigned) =>
    theirs === undefined || own === undefined ? !isAssigned : theirs > own,
  yieldsUnread: () => true,
  endsWhenResigned: () => true,
  outlastsAppointment: () => false,
  ownPublishedAt: ({ sentAt }) => sentAt,
  publishedAt: (earliest) => earliest,
  leastElapsedMs: (brokerMs, driftRate) =>
    brokerMs *
    (brokerMs > 0 ? (1 - driftRate) / (1 + driftRate) : (1 + driftRate) / (1 - driftRate)),
  agrees: ({ earliest, latest }, { sentAt, receivedAt }) =>
    earliest <= receivedAt && sentAt <= latest,
  isPossible: (earliest, receivedAt) => earliest <= receivedAt,
  afterRestart: () => undefined,
  countsOthers: ({ beats, promise }) => beats === 'all' && promise === 'continuous',
  beginsUnread: () => false,
  graceMs: ({ promise, thresholdMs, driftRate }) =>
    promise === 'exclusive' ? thresholdMs * (1 + driftRate) : 0,
  unreturnedMs: ({ promise, settles, thresholdMs }) =>
    promise === 'continuous' && settles ? thresholdMs / 2 : Number.POSITIVE_INFINITY,
  returnWithinMs: ({ thresholdMs }) => thresholdMs / 3,
  probeMs: ({ thresholdMs }) => thresholdMs,
  awaitsReturn: () => true,
  isOurs: ({ group }, self) => group === self.group,
  leavesRoom,
  token: nextToken,
};
