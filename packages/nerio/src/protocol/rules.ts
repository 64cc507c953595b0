// The numbers and comparisons of the protocol. Each is a function of its own, so that a mutant
// replaces exactly one rule. Rule numbers such as N9: docs/reference/rules.md.
//
// | letter | meaning |
// | --- | --- |
// | C | the lease clock of a member: the clock that measures leases |
// | E, F | the end of a leader's belief that it leads; the end of a voter's grant |
// | δ | the length of the requested lease |
// | ρ, Δ | the greatest error of a clock's rate; the greatest difference of synchronised clocks |
//
// `driftRules` assume that clocks run at rates within ρ of real time, and measure leases by the
// monotonic clock. `skewRules` assume that synchronised clocks differ by at most Δ, and measure
// leases by those.
import type { Instant } from '@leadership/core/adapter';
import { type Moment, nextToken } from '@leadership/core/internal/engine';
import { ballotAbove } from './ballot.ts';
import { precedesAtGranter } from './edict.ts';
import type { Grant, Queued } from './lease.ts';
import { type Members, nobody } from './members.ts';
import type { Ballot, GrantRequest, Release, Sender } from './message.ts';
import { meetsEveryQuorum, type Quorums } from './quorums.ts';
import { isBefore, isSame, type Sample, type Start } from './sample.ts';
import type { Self, Wedge } from './state.ts';

/**
 * Every rule of the protocol that is a number or a comparison. Instants are on the lease clock, C:
 * the clock that measures leases.
 */
export interface NerioRules {
  /** C at this moment. */
  clock(moment: Moment): number;
  /** Converts `at` from C to the monotonic clock: when to wake, or when a message was sent. */
  wakeAt(at: number, now: number, moment: Moment): Instant;
  /**
   * Converts E to the monotonic clock. The result is never later than the moment at which C reaches
   * E.
   */
  beliefUntil(until: number, now: number, moment: Moment, self: Self): Instant;
  /** N2, N3: E of a round that a quorum has granted. `completedAt` must not matter. */
  believeUntil(start: Sample, leaseMs: number, self: Self, completedAt: number): number;
  /** N2, N3: F after a grant, if it was `before`. */
  grantUntil(before: number, now: number, request: GrantRequest, self: Self): number;
  /** N2: whether these members hold a quorum. */
  holdsQuorum(quorums: Quorums, members: Members): boolean;
  /** N2: whether a reply to `replied` counts for the round begun at `start`. */
  answers(replied: Start, start: Start): boolean;
  /** N2: whether the requester already holds the lease. */
  isHolder(holder: Sender, asker: Sender): boolean;
  /** N3: whether a clock is further ahead than clocks may be. */
  isAhead(start: Sample, now: number, self: Self): boolean;
  /**
   * R4: whether a newcomer refuses, given the members with another pin. Members outside its epoch
   * may have another pin too.
   */
  refuses(quorums: Quorums, unlike: Members): boolean;
  /**
   * R4: whether a newcomer may grant or claim, given whether it has tried every member that it
   * knows.
   */
  mayBegin(hasTriedAll: boolean): boolean;
  /** N4: how long a member that lost its memory grants nothing, by C. */
  muteMs(self: Self): number;
  /**
   * N4: F of a grant that was loaded from disk. `leftMs`: its remaining time when it was written.
   */
  restoredUntil(leftMs: number, until: number, now: number): number;
  /** N5: whether a release ends this grant. */
  clears(grant: Grant, from: Sender, release: Release): boolean;
  /** N5: whether a request belongs to a released round. */
  isReleased(requested: Start, released: Start): boolean;
  /** N6: whether requests wait for the lease to end. */
  readonly queues: boolean;
  /**
   * N8: the granter's sample in the quorum timestamp. For a queued request it is not the sample at
   * its arrival.
   */
  stampedAt(granted: Sample, queued: Queued | undefined): Sample;
  /** N7: whether a round can no longer reach a quorum. */
  isHopeless(quorums: Quorums, refused: Members): boolean;
  /** N8: whether an edict may be created. */
  mayCreate(now: number, until: number): boolean;
  /** N8: whether a granter's sample precedes another sample of the same granter. */
  readonly precedes: typeof precedesAtGranter;
  /**
   * N9: whether a weak leader starts a round, given whether its own vote is granted to another
   * member.
   */
  mayStart(grantsToAnother: boolean): boolean;
  /**
   * N9: how long a member yields to the next one after that number of failed elections in a row. By
   * C.
   */
  yieldMs(leaseMs: number, self: Self, failures: number): number;
  /** N9: whether a message of that kind is a sign of life. */
  isSignOfLife(kind: 'ping' | 'pong'): boolean;
  /**
   * L9: whether a member that leads `mine` partitions may request one of `theirs`: only if the
   * numbers become more equal.
   */
  mayTake(mine: number, theirs: number): boolean;
  /** N10: δ. */
  leaseMs(roundTripMs: number, remainingMs: number, self: Self): number;
  /** N10: when the next renewal begins. */
  renewAt(start: Sample, leaseMs: number, until: number, roundTripMs: number, self: Self): number;
  /**
   * N12: how long a member certainly leads, in real time, if its belief lasts `beliefMs` by its
   * monotonic clock.
   */
  remainderMs(beliefMs: number, self: Self): number;
  /** N12: whether a third party may still rely on a remainder. */
  relies(startedAt: number, remainderMs: number, now: number, self: Self): boolean;
  /**
   * N12: whether the term may end in order, given the deadline that verifiers were promised. On the
   * monotonic clock.
   */
  mayRelease(now: Instant, promisedUntil: Instant): boolean;
  /** N13: the wedge of a member that starts. */
  remembered(wedge: Wedge | undefined): Wedge | undefined;
  /**
   * N4, N13: whether no earlier incarnation took part in this epoch, if the forgotten ones took
   * part in none after `forgotThrough`.
   */
  isNew(epoch: number, forgotThrough: number): boolean;
  /**
   * N13: whether members that have not accepted a next epoch prove that no later epoch ran before
   * their answers.
   */
  isLatest(quorums: Quorums, unbound: Members): boolean;
  /**
   * N13: the ballot of a new attempt by a member that promised a ballot of round `promised`, and
   * knows of rounds up to `known`.
   */
  ballot(self: Self, promised: number, known: number): Ballot;
  /**
   * N13: whether these voters, which can be wedged, are enough to end an epoch. If not, no voter is
   * wedged and the epoch continues.
   */
  canEnd(quorums: Quorums, bindable: Members): boolean;
  /** N13: whether an epoch has ended once these members are wedged. */
  terminates(quorums: Quorums, wedged: Members): boolean;
  /** N13: whether a voter may be wedged, given whether it has granted a lease. */
  mayWedge(isLeased: boolean): boolean;
  /**
   * N13: whether an epoch runs: `saying` report that it runs, and `accepted` have accepted it, in
   * any ballots.
   */
  isProven(quorums: Quorums, saying: Members, accepted: Members): boolean;
  /** N16: the greatest plausible token for a member that knows `known`. */
  tokenLimit(known: bigint, wallMicros: number): bigint;
  /** N16: whether a proposed token exceeds every token that its granters have granted to others. */
  outranks(token: bigint, rival: bigint): boolean;
  /**
   * N16: whether a member has learnt enough from members with memory to replace its own. If a
   * quorum has lost its memory, this member included, no member can help: then only the wall clock
   * keeps tokens growing (T1).
   */
  hasLearnt(quorums: Quorums, remembering: Members, forgetful: Members): boolean;
  /**
   * N16: whether a member that was without memory at every moment from `from` to `to` was without
   * it at `at`.
   */
  hadForgotten(from: number, to: number, at: number): boolean;
  /**
   * N16: how long to wait for the slowest answer before a quorum counts as without memory. By C.
   */
  slowestAnswerMs(self: Self): number;
  /** T1: the next token after `previous`. */
  token(previous: bigint, wallMicros: number): bigint;
}

/**
 * The yield after the first failed election, as a share of the lease. Chance adds up to the same
 * again.
 */
const yieldShare = 1 / 4;
/**
 * How often the yield doubles. Otherwise a member whose messages arrive but that receives none
 * blocks the others with grants that it cannot use.
 */
const doublingsMax = 3;

/**
 * A wall clock earlier than 2026 has not been set: a voter with such a clock must not refuse the
 * tokens of all others. Microseconds.
 */
const earliestWall = 1_767_225_600_000_000n;
/** The greatest lead of one member's wall clock over another's: ten years. Microseconds. */
const wallAhead = 315_576_000_000_000n;
/** The greatest number of terms that this member may have missed. */
const knownAhead = 1_048_576n;

/** The rules for clocks whose rates are within ρ of real time. */
export const driftRules: NerioRules = {
  clock: ({ now }) => now,
  wakeAt: (at) => at as Instant,
  beliefUntil: (until) => until as Instant,
  believeUntil: (start, leaseMs, self) => start.at + (1 - self.driftRate) * leaseMs,
  grantUntil: (before, now, request, self) =>
    Math.max(before, now + (1 + self.driftRate) * request.leaseMs),
  holdsQuorum: (quorums, members) => quorums.holds(members),
  answers: isSame,
  isHolder: (holder, asker) => holder.incarnation === asker.incarnation,
  isAhead: () => false,
  refuses: () => true,
  mayBegin: (hasTriedAll) => hasTriedAll,
  muteMs: (self) => (1 + self.driftRate) * self.leaseMsMax,
  restoredUntil: (leftMs, _until, now) => now + leftMs,
  clears: ({ holder, start }, from, release) =>
    holder?.incarnation === from.incarnation && !isBefore(release.start, start),
  isReleased: (requested, released) =>
    requested.incarnation === released.incarnation && !isBefore(released, requested),
  queues: true,
  stampedAt: (granted) => granted,
  isHopeless: (quorums, refused) => !quorums.holds(quorums.voters & ~refused),
  mayCreate: (now, until) => now < until,
  precedes: precedesAtGranter,
  mayStart: (grantsToAnother) => !grantsToAnother,
  yieldMs: (leaseMs, self, failures) =>
    yieldShare * leaseMs * (1 + self.jitter) * 2 ** Math.min(failures - 1, doublingsMax),
  isSignOfLife: (kind) => kind === 'pong',
  mayTake: (mine, theirs) => theirs >= mine + 2,
  leaseMs: (roundTripMs, remainingMs, self) =>
    Math.min(
      self.leaseMsMax,
      roundTripMs + Math.max(self.spacingMs, (1 + self.driftRate) * remainingMs),
    ),
  renewAt: (start, leaseMs, until, roundTripMs, self) =>
    Math.min(start.at + leaseMs / 2, until - (1 + self.driftRate) * roundTripMs),
  remainderMs: (beliefMs, self) => beliefMs / (1 + self.driftRate),
  relies: (startedAt, remainderMs, now, self) =>
    now < startedAt + (1 - self.driftRate) * remainderMs,
  mayRelease: (now, promisedUntil) => now >= promisedUntil,
  remembered: (wedge) => wedge,
  isNew: (epoch, forgotThrough) => epoch > forgotThrough,
  isLatest: meetsEveryQuorum,
  ballot: ballotAbove,
  canEnd: (quorums, bindable) => quorums.holds(bindable),
  terminates: (quorums, wedged) => quorums.holds(wedged),
  mayWedge: (isLeased) => !isLeased,
  isProven: (quorums, saying, accepted) => saying !== nobody && quorums.holds(saying | accepted),
  tokenLimit: (known, wallMicros) => {
    const wall = BigInt(Math.trunc(wallMicros));
    const byClock = (wall > earliestWall ? wall : earliestWall) + wallAhead;
    const byKnown = known + knownAhead;
    return byClock > byKnown ? byClock : byKnown;
  },
  outranks: (token, rival) => token > rival,
  hasLearnt: (quorums, remembering, forgetful) =>
    meetsEveryQuorum(quorums, remembering) || quorums.holds(forgetful),
  hadForgotten: (from, to, at) => from <= at && at <= to,
  slowestAnswerMs: (self) => self.leaseMsMax / 2,
  token: nextToken,
};

/**
 * The rules for synchronised clocks that differ by at most Δ (N3). The deadline on the monotonic
 * clock is Δ earlier, because the synchronised clock may outrun it by Δ.
 */
export const skewRules: NerioRules = {
  ...driftRules,
  clock: ({ wallMicros }) => wallMicros / 1000,
  wakeAt: (at, now, moment) => (moment.now + (at - now)) as Instant,
  beliefUntil: (until, now, moment, self) =>
    (moment.now + (until - now - self.skewMs) * (1 - self.driftRate)) as Instant,
  believeUntil: (start, leaseMs) => start.at + leaseMs,
  grantUntil: (before, _now, request, self) =>
    Math.max(before, request.start.at + request.leaseMs + self.skewMs),
  isAhead: (start, now, self) => start.at - now > self.skewMs,
  muteMs: (self) => self.leaseMsMax + 2 * self.skewMs,
  restoredUntil: (_leftMs, until) => until,
  relies: (startedAt, remainderMs, now, self) => now < startedAt + remainderMs - self.skewMs,
};
