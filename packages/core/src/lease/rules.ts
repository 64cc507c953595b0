// The numbers and comparisons that safety depends on. Each is a function of its own, so that a test
// can replace one of them with a mutant. Rule numbers such as M4: docs/reference/rules.md.
import { leavesRoom, nextToken } from '../engine/tokens.ts';
import { after, type Instant } from '../time/instant.ts';
import { soonShare } from './pauses.ts';
import { parseOwnership, parseSession, type SessionRecord } from './records.ts';

/** A member renews that often in T. */
const renewalsPerThreshold = 3;
/** A candidate without a session leaves that many notes in T: one with every second reading. */
const notesPerThreshold = 2;
/** How long a partition stays with its owner before another member asks for it, in T. */
const settleThresholds = 2;
/** Exchanges that fail, or change nothing, before a member that closes leaves what it cannot change. */
const failuresMax = 3;
/** Milliseconds between the claims of stand-ins: enough for the better-ranked claim to be read. */
export const staggerMs = 4;
/** The largest delay of a stand-in, as a fraction of T. */
const staggerShareMax = 0.02;

/** The terms that a session carries. */
interface RenewedTerms {
  readonly led: ReadonlySet<number>;
  readonly partitions: readonly { readonly stage: string }[];
}

/** Every rule of the lease that is a number or a comparison. */
export interface LeaseRules {
  /** R3: Returns whether a member takes part, if the pin has its values or other ones. */
  takesPart(isSame: boolean): boolean;
  /** M1, H2: Returns the pause between two renewals. It is the same while work drains. */
  renewMs(thresholdMs: number, of: RenewedTerms): number;
  /**
   * M1: Returns the pause after requests that have failed, `failures` of them before this one, if the
   * own lease has `restMs` left.
   */
  retryMs(thresholdMs: number, failures: number, restMs: number): number;
  /**
   * M2: Whether a member may open a session, after that number of openings without an answer since a
   * change of it was answered.
   */
  mayOpen(unanswered: number): boolean;
  /** L9: Returns how long a partition stays with its owner before another member asks for it. */
  settleMs(thresholdMs: number): number;
  /** L9: Returns how long a member of that rank waits beyond the time of the preferred one. */
  standInMs(rank: number, thresholdMs: number, extraMs: number, jitter: number): number;
  /**
   * M2: Returns the deadline of a session by a renewal that was sent at `sentAt` and took effect. The
   * result must not depend on `seenAt`.
   */
  validUntil(sentAt: Instant, seenAt: Instant, thresholdMs: number, driftRate: number): Instant;
  /** M2: Returns the renewal that took effect, if its row has that text: each has a text of its own. */
  provedBy<Attempt extends { readonly text: string }>(
    attempts: readonly Attempt[],
    text: string | null,
  ): Attempt | undefined;
  /** M2: Returns whether a session is over for good when its deadline has passed. */
  endsForGood(): boolean;
  /** M2: Returns whether a session may have a name that this member has met in the group before. */
  opensKnown(): boolean;
  /** M2: Returns T as a session says it in its version `version`: it is constant. */
  thresholdOf(thresholdMs: number, version: number): number;
  /** Rows: Returns the record of a text: the field `session` names its owner, whatever the kind is. */
  ownershipOf(text: string): ReturnType<typeof parseOwnership>;
  /** M4: Returns the record of a text of a session: an end that was written by hand is none. */
  sessionOf(text: string, thresholdMsMax: number): SessionRecord;
  /** M3: Returns whether the owner of a partition is the present session of this member. */
  isMine(owner: string, present: string, incarnation: string): boolean;
  /** M3: Returns whether a term begins by the answer to its claim, before a reading shows it. */
  beginsByAnswer(): boolean;
  /** M3: Returns whether a term begins by a row that an exchange has shown whose own renewal took no effect. */
  beginsUnrenewed(): boolean;
  /** M3, T3: Returns whether a term with that token may begin after one with the token `led`. */
  begins(token: bigint, led: bigint): boolean;
  /** M4, M5, M6: Returns when a wait that began at `since` is over. */
  waitsUntil(since: Instant, ms: number, driftRate: number): Instant;
  /** M4: Returns whether a renewal counts as received when a text was shown that is the same or not. */
  countsFromShown(isSame: boolean): boolean;
  /**
   * M4: Returns since when a session is missing that a partition names now, in a reading. Its name is known
   * since `knownSince`, perhaps by a notification: it may have lived on.
   */
  missingSince(knownSince: Instant, now: Instant): Instant;
  /** M4: Returns how long an owner whose session is missing counts as alive. */
  absentMs(thresholdMsMax: number): number;
  /** M4: Returns whether a claim over a session that has lapsed waits for its deposition. */
  awaitsDeposition(): boolean;
  /** M5: Returns how long a partition that holds nothing is not claimed. */
  emptyMs(thresholdMsMax: number): number;
  /**
   * M5: Returns how much longer the preferred member leaves a partition that holds nothing to members
   * that start a little later.
   */
  firstClaimMs(partition: number, thresholdMs: number): number;
  /**
   * M5: Returns whether a record counts as soon as it is read: it was not written by hand, while another
   * session may lead.
   */
  counts(record: Partial<ReturnType<typeof parseOwnership>> | undefined): boolean;
  /** M5: Returns whether a session of this process is over: it is another than the present one. */
  isOwnOver(isPresent: boolean): boolean;
  /**
   * M5, H3: Returns until when nothing is written about a partition whose work was given up now: it
   * has the rest of the lease, whose deadline was `until`.
   */
  silentUntil(until: Instant, now: Instant): Instant;
  /** M5, H3: Returns until when the silence lasts, once the session of that work is over. */
  silenceAfterSession(until: Instant): Instant;
  /** M6: Returns how long no member acts after a store may have lost changes. */
  doubtMs(thresholdMsMax: number): number;
  /**
   * M6: Returns whether a record that rests on version `seen` of a session may begin a term, if
   * `sureFrom` is the first version of it after the last loss.
   */
  mayRestOn(seen: number, sureFrom: number): boolean;
  /** M6: Returns whether a row that reads `version` after `known` went back. */
  wentBack(known: number, version: number): boolean;
  /** M8: Returns how old the record of a session may be to which a partition is released. */
  freshMs(thresholdMs: number): number;
  /** M8, T1: Returns the token of a release to another session, a term of its own. */
  handedToken(seen: bigint, wallMicros: number): bigint;
  /**
   * M9, T1: Returns the token of a release to no session: that of the record, or the greatest that the owner
   * knows if that one does not count. Others may never have read what a person has overwritten.
   */
  releasedToken(token: bigint, counts: boolean, seen: bigint): bigint;
  /** M9, H2: Returns whether the partition may be released now. */
  mayRelease(isDrained: boolean): boolean;
  /** M9: Returns how long a release may fail to take effect, before the session ends for it. */
  releaseMs(thresholdMs: number): number;
  /**
   * M9: Returns whether a member that closes leaves what it cannot change, after that number of exchanges without
   * an answer, and of those that have changed nothing.
   */
  leavesUnchanged(unanswered: number, unmade: number): boolean;
  /** M10: Returns which of the proved deaths ends the sessions of an incarnation, if one does. */
  deathOf(incarnation: string, dead: ReadonlySet<string>): string | undefined;
  /** M10: Returns how old a term must be when its owner dies, for others to claim it. */
  youngMs(thresholdMs: number): number;
  /**
   * M11: Returns how long the row of a dead session stays that nothing names. Not at once: a late request
   * that opens the session would find no row, and open it again.
   */
  sweepMs(isOfThisProcess: boolean, thresholdMsMax: number): number;
  /**
   * M11: Returns the pause between two notes. With the pause between two readings it is shorter than the
   * time for which a note counts, so that a present member is always listed.
   */
  noteMs(thresholdMs: number): number;
  /** M11: Returns the pause after the removal of the own note was refused: what keeps it may be there to stay. */
  noteKeptMs(thresholdMs: number): number;
  /** M11: Returns how long a note says that its process is there: as long as a renewal would. */
  notedMs(thresholdMs: number): number;
  /**
   * M11: Returns how long a note stays that does not change. Members with a session remove it first, so
   * that the other candidates, which may be many, find nothing to do.
   */
  noteSweepMs(hasSession: boolean, thresholdMs: number, jitter: number): number;
  /** M13: Returns whether a member with that number of partitions may claim, or ask for, another one. */
  mayTake(taken: number, partitionsMax: number): boolean;
  /** M13: Returns whether the claims count that were sent and may still take effect. */
  countsClaims(): boolean;
  /** M13: Returns whether a member that leads that number of partitions may begin another term. */
  mayBegin(led: number, partitionsMax: number): boolean;
  /** M13: Returns whether a session that owns that number of partitions may receive another one. */
  mayReceive(owned: number, partitionsMax: number): boolean;
  /** M13: Returns the limit by which the partitions are placed of a member that says that one. */
  placedLimit(partitionsMax: number): number;
  /** T1: Returns the token of a new term. */
  token(seen: bigint, wallMicros: number): bigint;
  /** T1: Returns whether a reading of the second place at `readAt` is newer than a row that is new. */
  hasReadSince(readAt: Instant, arrivedAt: Instant): boolean;
  /** T1: Returns whether the second place need not be raised for that token, if it has another one. */
  isCovered(token: bigint, floor: bigint): boolean;
  /** T1: Returns whether a term begins by a claim before the second place has its token. */
  beginsUncovered(): boolean;
  /**
   * T1, M6: Returns whether a token that was planned before a doubt, for a claim that the second place
   * still has to cover, is used after it: terms with greater ones may have been lost since.
   */
  keepsPlanned(): boolean;
  /** T1: Returns whether a token counts: it leaves room for later ones. */
  leavesRoom(token: bigint, wallMicros: number): boolean;
}

/** The rules as the reference has them. */
export const leaseRules: LeaseRules = {
  takesPart: (isSame) => isSame,
  renewMs: (thresholdMs) => thresholdMs / renewalsPerThreshold,
  // It doubles; towards the end of a lease it shrinks, as an outage may be shorter than the rest.
  retryMs(thresholdMs, failures, restMs) {
    const pauseMs = Math.min((2 ** failures * thresholdMs) / 12, thresholdMs / 3);
    return Math.max(thresholdMs * soonShare, Math.min(pauseMs, restMs / 2));
  },
  mayOpen: (unanswered) => unanswered < 2,
  settleMs: (thresholdMs) => settleThresholds * thresholdMs,
  standInMs(rank, thresholdMs, extraMs, jitter) {
    const delayMs = Math.min(rank * staggerMs, staggerShareMax * thresholdMs);
    return extraMs + delayMs * (1 + jitter);
  },
  validUntil: (sentAt, _seenAt, thresholdMs, driftRate) =>
    after(sentAt, thresholdMs * (1 - driftRate)),
  provedBy: (attempts, text) => attempts.find((attempt) => attempt.text === text),
  endsForGood: () => true,
  opensKnown: () => false,
  thresholdOf: (thresholdMs) => thresholdMs,
  ownershipOf: parseOwnership,
  sessionOf: parseSession,
  isMine: (owner, present) => owner === present,
  beginsByAnswer: () => false,
  beginsUnrenewed: () => false,
  begins: (token, led) => token > led,
  waitsUntil: (since, ms, driftRate) => after(since, ms * (1 + driftRate)),
  countsFromShown: (isSame) => isSame,
  missingSince: (_knownSince, now) => now,
  absentMs: (thresholdMsMax) => thresholdMsMax,
  awaitsDeposition: () => true,
  emptyMs: (thresholdMsMax) => thresholdMsMax,
  firstClaimMs: () => 0,
  counts: (record) => record === undefined || !('isByHand' in record),
  isOwnOver: (isPresent) => !isPresent,
  silentUntil: (until) => until,
  silenceAfterSession: (until) => until,
  doubtMs: (thresholdMsMax) => thresholdMsMax,
  mayRestOn: (seen, sureFrom) => seen >= sureFrom,
  wentBack: (known, version) => version <= known,
  freshMs: (thresholdMs) => 0.75 * thresholdMs,
  handedToken: nextToken,
  releasedToken: (token, counts, seen) => (counts ? token : seen),
  mayRelease: (isDrained) => isDrained,
  releaseMs: (thresholdMs) => thresholdMs,
  leavesUnchanged: (unanswered, unmade) => Math.max(unanswered, unmade) >= failuresMax,
  deathOf: (incarnation, dead) => (dead.has(incarnation) ? incarnation : undefined),
  youngMs: (thresholdMs) => thresholdMs,
  sweepMs: (isOfThisProcess, thresholdMsMax) => (isOfThisProcess ? 3 : 10) * thresholdMsMax,
  noteMs: (thresholdMs) => thresholdMs / notesPerThreshold,
  noteKeptMs: (thresholdMs) => thresholdMs,
  notedMs: (thresholdMs) => thresholdMs,
  noteSweepMs: (hasSession, thresholdMs, jitter) =>
    hasSession ? thresholdMs : (2 + jitter) * thresholdMs,
  mayTake: (taken, partitionsMax) => taken < partitionsMax,
  countsClaims: () => true,
  mayBegin: (led, partitionsMax) => led < partitionsMax,
  mayReceive: (owned, partitionsMax) => owned < partitionsMax,
  placedLimit: (partitionsMax) => partitionsMax,
  token: nextToken,
  hasReadSince: (readAt, arrivedAt) => readAt >= arrivedAt,
  isCovered: (token, floor) => token <= floor,
  beginsUncovered: () => false,
  keepsPlanned: () => false,
  leavesRoom,
};
