// The numbers and comparisons that the protocol rests on, each a function of its own, so that a mutant is one rule replaced.
// The machine around them only says when they are asked. `driftRules` assumes that clocks run at rates within ρ of real time,
// and measures leases by the monotonic clock; `skewRules` assumes that synchronised clocks differ by Δ at most, and measures by those.
import type { Instant } from '@leadership/core/backend';
import type { Moment } from '@leadership/core/engine';
import { ballotAbove } from './ballot.ts';
import { precedesAtGranter } from './edict.ts';
import { type Members, nobody } from './members.ts';
import type { Ask, Ballot, Release, Sender } from './message.ts';
import { meetsEveryQuorum, type Quorums } from './quorums.ts';
import { isBefore, isSame, type Sample, type Start } from './sample.ts';
import type { Grant, Queued, Self, Wedge } from './state.ts';

/** Every rule that is a number or a comparison. Instants are on the clock that leases are measured by, C. */
export interface NerioRules {
  /** C at this moment. */
  clock(moment: Moment): number;
  /** `at`, which is on C, on the monotonic clock: when to wake, or when something was sent. */
  wakeAt(at: number, now: number, moment: Moment): Instant;
  /** E on the monotonic clock: never later than C reaches it. */
  beliefUntil(until: number, now: number, moment: Moment, self: Self): Instant;
  /** N2, N3: E of a round of which a quorum has granted. `completedAt` must not matter. */
  believeUntil(start: Sample, leaseMs: number, self: Self, completedAt: number): number;
  /** N2, N3: F after a grant, where it was `before`. */
  grantUntil(before: number, now: number, ask: Ask, self: Self): number;
  /** N2: whether these members are enough. */
  holdsQuorum(quorums: Quorums, members: Members): boolean;
  /** N2: whether a reply to `replied` counts for the round begun at `start`. */
  answers(replied: Start, start: Start): boolean;
  /** N2: whether the asker is who holds the lease already. */
  isHolder(holder: Sender, asker: Sender): boolean;
  /** N3: whether a clock is further ahead than clocks may be. */
  isAhead(start: Sample, now: number, self: Self): boolean;
  /** R4: whether a newcomer refuses, having met these members with another pin, and perhaps others that its epoch does not have. */
  refuses(quorums: Quorums, unlike: Members): boolean;
  /** R4: whether a newcomer may grant or claim, given whether it has tried every member it knows. */
  mayBegin(hasTriedAll: boolean): boolean;
  /** N4: for how long one who lost its memory grants nothing, by C. */
  muteMs(self: Self): number;
  /** N4: F of a grant that was loaded from disk, where `leftMs` of it were left when it was written. */
  restoredUntil(leftMs: number, until: number, now: number): number;
  /** N5: whether a release gives this grant back. */
  clears(grant: Grant, from: Sender, release: Release): boolean;
  /** N5: whether a request belongs to what was given back already. */
  isReleased(asked: Start, released: Start): boolean;
  /** N6: whether requests wait for the lease to end. */
  readonly queues: boolean;
  /** N8: the granter's clock as it goes into the timestamp; for a queued request that is not when it came. */
  stampedAt(granted: Sample, queued: Queued | undefined): Sample;
  /** N7: whether a round cannot reach a quorum any more. */
  isHopeless(quorums: Quorums, refused: Members): boolean;
  /** N8: whether an edict may be created. */
  mayCreate(now: number, until: number): boolean;
  /** N8: whether a granter's sample precedes another of its own. */
  readonly precedes: typeof precedesAtGranter;
  /** N9: whether a weak leader starts a round, given whether its own grant to another runs. */
  mayStart(grantsToAnother: boolean): boolean;
  /** N9: for how long one whose contests have failed so many times in a row lets the next one try. By C. */
  yieldMs(leaseMs: number, self: Self, failures: number): number;
  /** N9: which messages are signs of life. */
  isSignOfLife(kind: 'ping' | 'pong'): boolean;
  /** L9: whether one who leads so many may ask one who leads so many for one of them: only where that makes them more alike. */
  mayTake(mine: number, theirs: number): boolean;
  /** N10: δ. */
  leaseMs(roundTripMs: number, remainingMs: number, self: Self): number;
  /** N10: when the next renewal begins. */
  renewAt(start: Sample, leaseMs: number, until: number, roundTripMs: number, self: Self): number;
  /** N12: for how long one whose belief lasts so long by its monotonic clock surely leads, in real time. */
  remainderMs(beliefMs: number, self: Self): number;
  /** N12: whether a remainder may be relied on still. */
  relies(startedAt: number, remainderMs: number, now: number, self: Self): boolean;
  /** N12: whether belief may end in order, given what verifiers were promised. On the monotonic clock. */
  mayRelease(now: Instant, promisedUntil: Instant): boolean;
  /** N13: what a member that starts knows of its wedge. */
  remembered(wedge: Wedge | undefined): Wedge | undefined;
  /** N4, N13: whether no life of a member can have taken part in an epoch, if those it knows nothing of had none after that one. */
  isNew(epoch: number, forgotThrough: number): boolean;
  /** N13: whether members that have accepted nothing to follow show that no later epoch ran before they said so. */
  isLatest(quorums: Quorums, unbound: Members): boolean;
  /** N13: the ballot of a new attempt by one that heeds another of that round, and knows of rounds up to `known`. */
  ballot(self: Self, promised: number, known: number): Ballot;
  /** N13: whether these voters, which could be wedged, are enough to end an epoch: or none is, and it goes on. */
  canEnd(quorums: Quorums, bindable: Members): boolean;
  /** N13: whether an epoch has terminated once these members are wedged. */
  terminates(quorums: Quorums, wedged: Members): boolean;
  /** N13: whether a voter whose leases stand as they do may be wedged. */
  mayWedge(isLeased: boolean): boolean;
  /** N13: whether an epoch runs, where the ones say so and the others have accepted it, in whatever ballots. */
  isProven(quorums: Quorums, saying: Members, accepted: Members): boolean;
  /** N16: the greatest token that is believed by one that knows of this one. */
  tokenLimit(known: bigint, wallMicros: number): bigint;
  /** N16: whether a proposed token is new to everyone who granted it. */
  outranks(token: bigint, rival: bigint): boolean;
  /**
   * N16: whether the memory of those who remember makes up for one's own. Where a quorum has forgotten, oneself included, nothing does: then
   * the wall clock is all there is to keep tokens growing (T1).
   */
  hasLearnt(quorums: Quorums, remembering: Members, forgetful: Members): boolean;
  /** N16: whether a member that had forgotten at every moment from `from` to `to` had at this one. */
  hadForgotten(from: number, to: number, at: number): boolean;
  /** N16: for how long the slowest answer is waited for before a quorum is taken to have forgotten. By C. */
  slowestAnswerMs(self: Self): number;
  /** T1. */
  token(previous: bigint, wallMicros: number): bigint;
}

/** Who has failed once yields this share of a lease, and by chance up to as much again. */
const yieldShare = 1 / 4;
/** It doubles so many times: one that hears nobody, and is heard, would else hold up everyone with what it is granted and cannot use. */
const doublingsMax = 3;

/** A wall clock that shows an earlier time than 2026 has not been set: a voter must not refuse everybody else's tokens over it. Microseconds. */
const earliestWall = 1_767_225_600_000_000n;
/** So far, ten years, the wall clock of one member may be ahead of another's. Microseconds. */
const wallAhead = 315_576_000_000_000n;
/** So many terms there may have been that this member knows nothing of. */
const knownAhead = 1_048_576n;

/** The rules where clocks run within ρ of real time. */
export const driftRules: NerioRules = {
  clock: ({ now }) => now,
  wakeAt: (at) => at as Instant,
  beliefUntil: (until) => until as Instant,
  believeUntil: (start, leaseMs, self) => start.at + (1 - self.driftRate) * leaseMs,
  grantUntil: (before, now, ask, self) => Math.max(before, now + (1 + self.driftRate) * ask.leaseMs),
  holdsQuorum: (quorums, members) => quorums.holds(members),
  answers: isSame,
  isHolder: (holder, asker) => holder.incarnation === asker.incarnation,
  isAhead: () => false,
  refuses: () => true,
  mayBegin: (hasTriedAll) => hasTriedAll,
  muteMs: (self) => (1 + self.driftRate) * self.leaseMsMax,
  restoredUntil: (leftMs, _until, now) => now + leftMs,
  clears: ({ holder, start }, from, release) => holder?.incarnation === from.incarnation && !isBefore(release.start, start),
  isReleased: (asked, released) => asked.incarnation === released.incarnation && !isBefore(released, asked),
  queues: true,
  stampedAt: (granted) => granted,
  isHopeless: (quorums, refused) => !quorums.holds(quorums.voters & ~refused),
  mayCreate: (now, until) => now < until,
  precedes: precedesAtGranter,
  mayStart: (grantsToAnother) => !grantsToAnother,
  yieldMs: (leaseMs, self, failures) => yieldShare * leaseMs * (1 + self.jitter) * 2 ** Math.min(failures - 1, doublingsMax),
  isSignOfLife: (kind) => kind === 'pong',
  mayTake: (mine, theirs) => theirs >= mine + 2,
  leaseMs: (roundTripMs, remainingMs, self) =>
    Math.min(self.leaseMsMax, roundTripMs + Math.max(self.spacingMs, (1 + self.driftRate) * remainingMs)),
  renewAt: (start, leaseMs, until, roundTripMs, self) => Math.min(start.at + leaseMs / 2, until - (1 + self.driftRate) * roundTripMs),
  remainderMs: (beliefMs, self) => beliefMs / (1 + self.driftRate),
  relies: (startedAt, remainderMs, now, self) => now < startedAt + (1 - self.driftRate) * remainderMs,
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
  hasLearnt: (quorums, remembering, forgetful) => meetsEveryQuorum(quorums, remembering) || quorums.holds(forgetful),
  hadForgotten: (from, to, at) => from <= at && at <= to,
  slowestAnswerMs: (self) => self.leaseMsMax / 2,
  token: (previous, wallMicros) => {
    const next = previous + 1n;
    const wall = BigInt(wallMicros);
    return wall > next ? wall : next;
  },
};

/** The rules where synchronised clocks differ by Δ at most (N3). Belief is told on the monotonic clock, which the synchronised one may outrun by Δ. */
export const skewRules: NerioRules = {
  ...driftRules,
  clock: ({ wallMicros }) => wallMicros / 1000,
  wakeAt: (at, now, moment) => (moment.now + (at - now)) as Instant,
  beliefUntil: (until, now, moment, self) => (moment.now + (until - now - self.skewMs) * (1 - self.driftRate)) as Instant,
  believeUntil: (start, leaseMs) => start.at + leaseMs,
  grantUntil: (before, _now, ask, self) => Math.max(before, ask.start.at + ask.leaseMs + self.skewMs),
  isAhead: (start, now, self) => start.at - now > self.skewMs,
  muteMs: (self) => self.leaseMsMax + 2 * self.skewMs,
  restoredUntil: (_leftMs, until) => until,
  relies: (startedAt, remainderMs, now, self) => now < startedAt + remainderMs - self.skewMs,
};
