import type { Instant } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { type LeaseRules, type LogRules, leaseRules } from '@leadership/core/internal/sessions';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { GuardRules } from './guard.ts';
import { guardMutants } from './mutants-guard.ts';
import { readOnlyMutants } from './mutants-read-only.ts';
import type { StoreRules } from './world.ts';

/** The parts that a mutant replaces. */
export interface Overrides {
  readonly rules?: Partial<LeaseRules>;
  readonly store?: Partial<StoreRules>;
  readonly guard?: Partial<GuardRules>;
  /** The share of the answers after which a member forgets to look at a partition. */
  readonly forgetsShare?: number;
  readonly log?: Partial<LogRules>;
}

const longAgo = Number.NEGATIVE_INFINITY as Instant;

/** A defect: reads an unknown kind as a release to no session. */
function knownKindsOnly(text: string): ReturnType<LeaseRules['ownershipOf']> {
  const record = leaseRules.ownershipOf(text);
  const isKnown = record.kind !== 'hold' || text.startsWith('{"kind":"hold"');
  return isKnown ? record : { ...record, kind: 'release', session: undefined };
}

/** A defect: takes an end of a session for one, whoever wrote it. */
function endsByAnyText(text: string, ms: number): ReturnType<LeaseRules['sessionOf']> {
  const record = leaseRules.sessionOf(text, ms);
  const isEnd = /^\{.*"kind":"(ended|deposed)"/.test(text);
  return isEnd ? { ...record, kind: 'deposed' } : record;
}

/** Mutants of the rules. */
export const mutants: readonly Mutant<Overrides>[] = [
  mutant('M1', 'acknowledges-without-replicas', 'old-copy', 'exclusive', {
    does: 'acknowledges a change that no replica has, as Redis does without `WAIT`',
    overrides: { store: { awaitsReplicas: false } },
  }),
  mutant('M1', 'renews-and-reads-apart', 'old-copy, often', 'exclusive', {
    does: 'renews at one copy of the store, and reads from another',
    seeds: [1, 7, 3],
    overrides: { store: { isOneRequest: false } },
  }),
  mutant('M2', 'deadline-from-the-answer', 'register', 'exclusive', {
    does: 'counts its lease from the answer to a renewal',
    overrides: {
      rules: { validUntil: (_sentAt, seenAt, thresholdMs) => after(seenAt, thresholdMs) },
    },
  }),
  mutant('M2', 'deadline-from-the-latest-attempt', 'register', 'exclusive', {
    does: 'counts its lease from its latest renewal, though an earlier one took effect',
    overrides: {
      rules: {
        provedBy: (attempts, text) =>
          attempts.some((attempt) => attempt.text === text) ? attempts.at(-1) : undefined,
      },
    },
  }),
  mutant('M2', 'no-drift-at-the-owner', 'register', 'exclusive', {
    does: 'leads as if its clock had no drift',
    overrides: { rules: { validUntil: (sentAt, _seenAt, ms) => after(sentAt, 1.05 * ms) } },
  }),
  mutant('M2', 'revives-its-session', 'register', 'T3', {
    does: 'renews a session whose deadline has passed',
    overrides: { rules: { endsForGood: () => false } },
  }),
  mutant('M2', 'opens-over-a-row', 'next-sessions', 'M2', {
    does: 'opens a session under a name of which a stranger has written a row',
    overrides: { rules: { opensKnown: () => true } },
  }),
  mutant('M2', 'shrinks-its-threshold', 'muted', 'exclusive', {
    does: 'says a shorter T in every other renewal',
    overrides: {
      rules: { thresholdOf: (ms, version) => (version % 2 === 1 ? ms / 3 : ms) },
    },
  }),
  mutant('M3', 'leads-by-an-earlier-session', 'register', 'exclusive', {
    does: 'takes a record of an earlier session of its process for its own',
    overrides: {
      rules: { isMine: (owner, _present, incarnation) => owner.startsWith(`${incarnation}/`) },
    },
  }),
  mutant('M3', 'begins-by-an-answer', 'forgetful', 'exclusive', {
    does: 'begins a term by the answer to its claim',
    seeds: [6, 1, 20],
    overrides: { rules: { beginsByAnswer: () => true } },
  }),
  mutant('M3', 'begins-without-its-renewal', 'loss-hidden', 'exclusive', {
    does: 'begins a term by a row that it has read while its own renewal did not take effect',
    overrides: { rules: { beginsUnrenewed: () => true } },
  }),
  mutant('M4', 'no-drift-at-the-others', 'register', 'exclusive', {
    does: 'deposes as if its clock had no drift',
    overrides: { rules: { waitsUntil: (since, ms) => after(since, 0.95 * ms) } },
  }),
  mutant('M4', 'counts-from-an-earlier-text', 'register', 'exclusive', {
    does: 'counts T from a notification that showed an earlier renewal than the one it has read',
    overrides: { rules: { countsFromShown: () => true } },
  }),
  mutant('M4', 'missing-since-it-was-shown', 'rows-removed, shown', 'exclusive', {
    does: 'counts how long a session is missing from a notification that showed it',
    seeds: [1, 2, 12],
    overrides: { rules: { missingSince: (knownSince) => knownSince } },
  }),
  mutant('M4', 'absent-owner-is-free', 'rows-removed', 'exclusive', {
    does: 'does not wait for an owner whose session is missing',
    overrides: { rules: { absentMs: () => 0 } },
  }),
  mutant('M4', 'claims-without-deposing', 'register', 'exclusive', {
    does: 'claims over a session that has lapsed, and does not depose it',
    overrides: { rules: { awaitsDeposition: () => false } },
  }),
  mutant('M4', 'takes-any-end', 'edited-rows', 'exclusive', {
    does: 'counts an end of a session that somebody has written by hand',
    overrides: { rules: { sessionOf: endsByAnyText } },
  }),
  mutant('M5', 'takes-any-owner', 'edited-rows', 'exclusive', {
    does: 'does not wait for the owner before, when somebody has edited the row of a partition',
    overrides: { rules: { counts: () => true } },
  }),
  mutant('M5', 'empty-row-is-free', 'rows-removed', 'exclusive', {
    does: 'claims a partition whose row was missing at once',
    overrides: { rules: { emptyMs: () => 0 } },
  }),
  mutant('M5', 'last-write-wins', 'register', 'exclusive', {
    does: 'changes a row whatever text it has',
    overrides: { store: { comparesText: false } },
  }),
  mutant('M5', 'writes-without-a-condition', 'reads-first', 'exclusive', {
    does: 'writes a row whatever text it has, as DynamoDB does without a condition',
    overrides: { store: { comparesText: false } },
  }),
  mutant('M5', 'does-not-keep-silence', 'given-up-work', 'H3', {
    does: 'releases a partition while work that was given up may run',
    overrides: { rules: { silentUntil: (_until, now) => now } },
  }),
  mutant('M5', 'silence-ends-with-the-session', 'given-up-work, rows removed', 'H3', {
    does: 'forgets that work was given up when its session ends otherwise',
    overrides: { rules: { silenceAfterSession: () => longAgo } },
  }),
  mutant('M3', 'unknown-kind-is-free', 'newer-kinds', 'exclusive', {
    does: 'takes a record of a kind that it does not know for a release',
    overrides: { rules: { ownershipOf: knownKindsOnly } },
  }),
  mutant('M6', 'position-hides-a-loss', 'history-lost, often', 'exclusive', {
    does: 'does not show by its position that it has lost changes',
    seeds: [1, 2, 22],
    overrides: { store: { showsLosses: false } },
  }),
  mutant('M6', 'trusts-a-restored-store', 'history-lost', 'exclusive', {
    does: 'does not wait after a store has lost changes',
    overrides: { rules: { doubtMs: () => 0 } },
  }),
  mutant('M6', 'trusts-its-first-reading', 'history-lost, restarts', 'exclusive', {
    does: 'claims what it reads as free when it starts, though the store may just have lost changes',
    seeds: [1, 2, 12],
    overrides: { store: { tellsLosses: false } },
  }),
  // Each of the two alone is harmless where the other holds.
  mutant('M7', 'changes-in-any-history', 'history-lost, often', 'T1', {
    does: 'changes a row in another history than it has read, and rests on it',
    seeds: [17, 15, 31],
    overrides: { store: { comparesHistory: false }, rules: { mayRestOn: () => true } },
  }),
  mutant('M7', 'reads-again-in-any-history', 'forgetful, reads-again', 'exclusive', {
    does: 'begins a term by a reading after its claim, which is of another history than the one before',
    seeds: [8, 3, 32],
    overrides: { store: { comparesAgain: false } },
  }),
  mutant('M7', 'reads-after-in-any-history', 'history-lost, reads-after', 'exclusive', {
    does: 'follows the store into another history, and answers with what it reads there',
    seeds: [5, 8, 9],
    overrides: { store: { comparesAgain: false } },
  }),
  mutant('M8', 'hands-over-to-an-old-record', 'register', 'M8', {
    does: 'releases a partition to a session that it has not heard of for 0.75 T',
    seeds: [27, 30, 21],
    overrides: { rules: { freshMs: (thresholdMs) => 2 * thresholdMs } },
  }),
  mutant('M4', 'deposes-at-once', 'register', 'M4', {
    does: 'deposes a session that was renewed a moment ago',
    overrides: { rules: { waitsUntil: (since, ms) => after(since, 0.5 * ms) } },
  }),
  mutant('M11', 'sweeps-at-once', 'register', 'M11', {
    does: 'removes the row of a session that has just ended',
    overrides: { rules: { sweepMs: () => 0 } },
  }),
  mutant('M11', 'never-sweeps', 'register', 'M11', {
    does: 'leaves the rows of dead sessions',
    overrides: { rules: { sweepMs: () => Number.POSITIVE_INFINITY } },
  }),
  mutant('evaluation', 'forgets-to-look', 'second-look', 'missed', {
    does: 'does not look at a partition that has changed',
    overrides: { forgetsShare: 0.01 },
  }),
  mutant('M8', 'hands-its-own-token', 'register', 'T1', {
    does: 'releases a partition to another session with the token of its own term',
    overrides: { rules: { handedToken: (seen) => seen } },
  }),
  mutant('M9', 'releases-before-the-drain', 'given-up-work', 'exclusive', {
    does: 'releases a partition while its work still drains',
    overrides: { rules: { mayRelease: () => true } },
  }),
  mutant('M9', 'never-gives-up-a-release', 'muted, long', 'leaderlessShare', {
    does: 'keeps its session though it cannot write a release',
    overrides: { rules: { releaseMs: () => Number.POSITIVE_INFINITY } },
  }),
  mutant('M10', 'young-term-is-free', 'guarded', 'M10', {
    does: 'claims at once what a member had when it died, however short',
    overrides: { rules: { youngMs: () => 0 } },
  }),
  ...guardMutants,
  ...readOnlyMutants,
  // Those that stay safe: what a calm world needs not is counted, and they cross the limits.
  mutant('M1', 'renews-too-seldom', 'calm', 'renewalGaps', {
    does: 'renews so late that a single failure lets the lease expire',
    overrides: { rules: { renewMs: (thresholdMs) => thresholdMs } },
  }),
  mutant('M1', 'retries-ever-later', 'briefly-cut', 'renewalGaps', {
    does: 'waits longer and longer before it repeats a renewal, even if its lease ends meanwhile',
    overrides: {
      rules: { retryMs: (thresholdMs, failures) => (2 ** failures * thresholdMs) / 12 },
    },
  }),
  mutant('M2', 'opens-unheard', 'unanswered', 'leaderlessShare', {
    does: 'opens one session after the other, though the store answers only its readings',
    overrides: { rules: { mayOpen: () => true } },
  }),
  mutant('L9', 'no-hysteresis', 'moving', 'needlessMoves', {
    does: 'asks for a partition whenever the placement changes',
    overrides: { rules: { settleMs: () => 0 } },
  }),
  mutant('L9', 'no-stagger', 'crashes', 'needlessMoves', {
    does: 'claims as a stand-in at the same time as the preferred member',
    overrides: { rules: { standInMs: () => 0 } },
  }),
  mutant('H2', 'no-proof-while-draining', 'long-drains', 'renewalGaps', {
    does: 'stops renewing its session while the work of a partition drains',
    overrides: {
      rules: {
        renewMs(thresholdMs, of) {
          const drains = [...of.led].some((index) => of.partitions[index]?.stage === 'draining');
          return drains ? Number.POSITIVE_INFINITY : leaseRules.renewMs(thresholdMs, of);
        },
      },
    },
  }),
  mutant('R3', 'm-not-pinned', 'several-m', 'exclusive', {
    does: 'takes part though the group is pinned to another number of partitions',
    overrides: { rules: { takesPart: () => true } },
  }),
  // The limits of members.
  mutant('M13', 'ignores-its-limit', 'limits, too few', 'M13', {
    does: 'claims, and leads, more partitions than it says',
    overrides: { rules: { mayTake: () => true, mayBegin: () => true } },
  }),
  mutant('M13', 'claims-beyond-its-limit', 'limits, too few', 'M13', {
    does: 'claims more partitions than it says, and releases them again',
    overrides: { rules: { mayTake: () => true } },
  }),
  mutant('M13', 'begins-beyond-its-limit', 'limits, too few', 'M13', {
    seeds: [1, 3, 17],
    does: 'begins a term by every record that names its session, though it is at its limit',
    overrides: { rules: { mayBegin: () => true } },
  }),
  mutant('M13', 'ignores-the-limit-of-the-heir', 'limits, too few', 'M13', {
    does: 'hands over to a session that has all that it may lead',
    overrides: { rules: { mayReceive: () => true } },
  }),
  mutant('M13', 'forgets-claims-on-the-way', 'limits, too few', 'M13', {
    does: 'does not count the claims that it has sent',
    overrides: { rules: { countsClaims: () => false } },
  }),
  mutant('M13', 'places-beyond-limits', 'limits', 'even', {
    does: 'spreads the partitions as if no member had a limit',
    overrides: { rules: { placedLimit: () => Number.POSITIVE_INFINITY } },
  }),
  // The notes by which candidates without a session are listed.
  mutant('M11', 'notes-too-seldom', 'standbys', 'listed', {
    does: 'leaves a note as seldom as a note counts, so that a present member seems to be gone',
    overrides: { rules: { noteMs: (thresholdMs) => thresholdMs } },
  }),
  mutant('M11', 'believes-old-notes', 'standbys', 'listed', {
    does: 'lists a candidate by a note that is as old as two leases',
    overrides: {
      rules: {
        notedMs: (thresholdMs) => 2 * thresholdMs,
        noteSweepMs: (_hasSession, thresholdMs) => 4 * thresholdMs,
      },
    },
  }),
  mutant('M11', 'sweeps-notes-at-once', 'standbys', 'M11', {
    does: 'removes the note of a candidate that was there a moment ago',
    overrides: { rules: { noteSweepMs: () => 0 } },
  }),
  mutant('M11', 'never-sweeps-notes', 'standbys', 'M11', {
    does: 'leaves the notes of candidates that have ended',
    overrides: { rules: { noteSweepMs: () => Number.POSITIVE_INFINITY } },
  }),
  mutant('T1', 'token-of-the-wall-clock', 'register', 'T1', {
    does: 'takes the wall clock as its token, whatever tokens it knows',
    overrides: { rules: { token: (_seen, wallMicros) => BigInt(wallMicros) } },
  }),
  mutant('T1', 'token-of-the-chain-alone', 'rows-removed', 'T1', {
    does: 'takes the next number as its token, whatever its clock says',
    overrides: { rules: { token: (seen) => seen + 1n } },
  }),
  mutant('T1', 'adopts-a-token-without-room', 'hostile-tokens', 'settles', {
    does: 'goes on from a token that leaves no room for later ones',
    overrides: { rules: { leavesRoom: () => true } },
  }),
  mutant('T1', 'releases-a-token-without-room', 'hostile-tokens', 'T1', {
    does: 'releases a partition with a token that leaves no room for later ones, if its record has it',
    overrides: { rules: { releasedToken: (token) => token } },
    seeds: [3, 123, 50],
  }),
  mutant('T1', 'keeps-the-token', 'register', 'T1', {
    does: 'claims with the greatest token that it knows',
    overrides: {
      rules: { token: (seen, wall) => (seen > BigInt(wall) ? seen : BigInt(wall)) },
    },
  }),
  mutant('T1', 'forgets-the-second-place', 'floor', 'T1', {
    does: 'claims a row that is new without reading the second place since',
    overrides: { rules: { hasReadSince: () => true } },
  }),
  mutant('T1', 'never-raises-the-second-place', 'floor', 'T1', {
    does: 'begins terms whose tokens the second place does not have',
    overrides: { rules: { isCovered: () => true } },
  }),
  mutant('T1', 'begins-before-the-second-place', 'floor', 'relation', {
    does: 'begins terms by claims before the second place has their tokens',
    overrides: { rules: { beginsUncovered: () => true } },
  }),
  mutant('T1', 'second-place-in-memory', 'floor', 'T1', {
    does: 'acknowledges a token in the second place, and does not keep it',
    overrides: { store: { keepsFloor: false } },
  }),
  mutant('T1', 'second-place-among-the-rows', 'floor', 'T1', {
    does: 'wipes the second place together with the rows',
    overrides: { store: { floorOutlivesRows: false } },
  }),
  mutant('T1', 'keeps-a-token-through-a-loss', 'floor, history-lost', 'T1', {
    does: 'claims with a token that it planned before a loss, while the second place did not cover it',
    seeds: [1, 2, 7],
    overrides: { rules: { keepsPlanned: () => true } },
  }),
  mutant('M6', 'rests-on-what-was-lost', 'forgetful', 'T1', {
    does: 'begins a term by a claim from before a loss',
    seeds: [15, 8, 28],
    overrides: { rules: { mayRestOn: () => true } },
  }),
  // Each of the two alone is harmless where the other holds.
  mutant('M7', 'counts-in-any-epoch', 'log, lost-tail, often', 'T1', {
    does: 'makes changes that were sent before another leader began, and rests on them',
    seeds: [1, 2, 10],
    overrides: { log: { counts: () => true }, rules: { mayRestOn: () => true } },
  }),
  mutant('M6', 'trusts-a-new-leader', 'log, lost-tail, often', 'exclusive', {
    does: 'does not doubt a log that has another leader',
    overrides: { log: { isLoss: () => false } },
  }),
  mutant('M6', 'trusts-its-offset', 'log, lost-tail, often', 'alike', {
    does: 'does not compare the last record that it has read',
    overrides: { log: { isSame: () => true } },
  }),
  mutant('M6', 'trusts-a-log-of-that-name', 'log, recreated', 'alike', {
    does: 'goes on at its offset in a log that was created again',
    overrides: { log: { isSame: ({ epoch }, found) => epoch === found.epoch } },
  }),
  mutant('M6', 'reads-over-a-gap', 'log, compacted', 'alike', {
    does: 'goes on with its rows where records are missing in the log',
    overrides: { log: { isGap: () => false } },
  }),
  mutant('M6', 'keeps-what-it-knows', 'log, wrong-copy', 'alike', {
    does: 'goes on with rows that a copy contradicts',
    overrides: { log: { replaces: () => false } },
  }),
  mutant('M6', 'takes-a-part-for-a-copy', 'log', 'leaderlessShare', {
    does: 'takes the first part of a copy for all rows',
    overrides: { log: { isComplete: () => true } },
  }),
  mutant('M6', 'forgets-what-followed-a-copy', 'log', 'leaderlessShare', {
    does: 'takes the rows of a copy without the entries since',
    overrides: { log: { continuesAt: (_upTo, offset) => offset } },
  }),
  mutant('M6', 'takes-a-copy-of-other-records', 'log, hostile', 'alike', {
    does: 'takes a copy though it has not read all records since',
    seeds: [1, 2, 22],
    overrides: { log: { isUsable: () => true } },
  }),
  mutant('M6', 'takes-an-older-copy', 'log, hostile', 'alike', {
    does: 'takes a copy that is older than the last one',
    seeds: [1, 2, 38],
    overrides: { log: { isOlder: () => false } },
  }),
];
