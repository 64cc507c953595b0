// The numbers and comparisons that the promises rest on, each a function of its own, so that a mutant is one rule replaced.
// The engine around them only says when they are asked.
import { ledgerRules } from '../ledger/rules.ts';
import { after, type Instant } from '../time/instant.ts';
import type { Beat, Standing } from './beat.ts';
import type { Bracket, BrokerClock, Sample } from './broker-clock.ts';
import type { Inductee, Sent } from './state.ts';

/** Every rule that is a number or a comparison. The engine asks for each by name; nothing in it knows better. */
export interface InductionRules {
  /** I1: until when leadership may be believed that was proved at `provedAt`. */
  believeUntil(provedAt: Instant, self: Inductee): Instant;
  /** I1: what a leader does once the partition is another's: leads on until that one does, drains at once, or drops everything. */
  whenSucceeded(self: Inductee): 'linger' | 'drain' | 'drop';
  /** I1: whether a beat still proves something to one who is not in charge any more. */
  provesWhileFrozen(): boolean;
  /** I1: whether a successor of that standing leads, so that this one may stop. */
  takesOver(standing: Standing): boolean;
  /** I1: whether the other, in charge by the decision `theirs`, was put in charge after this member, who was by `own`. */
  succeeds(theirs: number | undefined, own: number | undefined, isAppointed: boolean): boolean;
  /** I1: whether one that cannot make itself heard takes anybody that beats as the owner for its successor. */
  yieldsUnheard(): boolean;
  /** I1: whether a beat proves anything that was sent under an earlier appointment. */
  outlastsAppointment(): boolean;
  /** I2: when a beat of our own was published, at the latest that may be believed. `receivedAt` must not matter. */
  ownPublishedAt(sent: Sent, receivedAt: Instant): Instant;
  /** I2: the same for another's beat, which by the broker's stamp was published no sooner than `earliest`. */
  publishedAt(earliest: Instant, receivedAt: Instant): Instant;
  /** I2: how much time has passed here at least, where `brokerMs` have by the broker's clock. Both may be negative. */
  leastElapsedMs(brokerMs: number, driftRate: number): number;
  /** I2: whether what a sample says can be true together with what is known. */
  agrees(known: Bracket, sample: Sample): boolean;
  /** I2: whether another's stamp can be true, which puts its beat at `earliest` or later. */
  isPossible(earliest: Instant, receivedAt: Instant): boolean;
  /** I2: what is still known of the broker's clock once another broker leads the partition. */
  afterRestart(clock: BrokerClock | undefined): BrokerClock | undefined;
  /** I3: whether other members' beats count. */
  countsOthers(self: Inductee): boolean;
  /** I3, I4: whether a term may begin before a beat of one's own was heard. */
  beginsUnheard(): boolean;
  /** I5: how long a new assignee has to be proven before it leads. */
  graceMs(self: Inductee): number;
  /** I6: whether the beat is of this election. */
  isOurs(beat: Beat, self: Inductee): boolean;
  /** T1. */
  token(previous: bigint, wallMicros: number): bigint;
}

/** The rules as PROTOCOLS has them. */
export const inductionRules: InductionRules = {
  believeUntil: (provedAt, { thresholdMs, driftRate }) => after(provedAt, thresholdMs * (1 - driftRate)),
  whenSucceeded: ({ promise }) => (promise === 'continuous' ? 'linger' : 'drain'),
  provesWhileFrozen: () => false,
  takesOver: (standing) => standing === 'leading',
  succeeds: (theirs, own, isAppointed) => (theirs === undefined || own === undefined ? !isAppointed : theirs > own),
  yieldsUnheard: () => true,
  outlastsAppointment: () => false,
  ownPublishedAt: ({ sentAt }) => sentAt,
  publishedAt: (earliest) => earliest,
  leastElapsedMs: (brokerMs, driftRate) =>
    brokerMs * (brokerMs > 0 ? (1 - driftRate) / (1 + driftRate) : (1 + driftRate) / (1 - driftRate)),
  agrees: ({ earliest, latest }, { sentAt, receivedAt }) => earliest <= receivedAt && sentAt <= latest,
  isPossible: (earliest, receivedAt) => earliest <= receivedAt,
  afterRestart: () => undefined,
  countsOthers: ({ beats, promise }) => beats === 'all' && promise === 'continuous',
  beginsUnheard: () => false,
  graceMs: ({ promise, thresholdMs, driftRate }) => (promise === 'exclusive' ? thresholdMs * (1 + driftRate) : 0),
  isOurs: ({ group }, self) => group === self.group,
  token: ledgerRules.token,
};
