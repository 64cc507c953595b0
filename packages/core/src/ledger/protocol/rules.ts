// The numbers and comparisons that safety depends on. Each is a separate function, so that a test
// can replace one of them with a mutant. The engine only decides when to call them.
// Rule numbers such as L5: docs/reference/rules.md.
import { leavesRoom, nextToken } from '../../engine/tokens.ts';
import type { Instant } from '../../time/instant.ts';
import { after } from '../../time/instant.ts';
import type { LeaseRequest } from '../ledger.ts';
import { heightAfter, holderOf, type LedgerRecord } from '../record.ts';
import type {
  Attempt,
  Believing,
  Death,
  Found,
  LeaseState,
  MemberConfig,
  OwnRequest,
  PendingRequest,
  Waits,
} from './state.ts';

/**
 * Every protocol rule that is a number or a comparison. The engine contains no copy of any of them.
 */
export interface LedgerRules {
  /**
   * L1: Returns whether `record` takes effect after `effect`, in a log that contains every attempt.
   */
  takesEffect(effect: LedgerRecord | null, record: LedgerRecord): boolean;
  /**
   * L10: Returns whether a starting reader prefers `record` over `best` as the record in effect,
   * among the visible records.
   */
  precedes(record: LedgerRecord, best: LedgerRecord | null): boolean;
  /** L12: Returns whether `record` proves that `effect` is not the record in effect. */
  provesFoldWrong(effect: LedgerRecord | null, record: LedgerRecord): boolean;
  /**
   * L11: Returns whether a register that shows `record` after `effect` went back. A reader may miss
   * versions, but heights only grow.
   */
  wentBack(effect: LedgerRecord | null, record: LedgerRecord): boolean;
  /**
   * L11: Returns whether a refused write over `over` proves that `over` is not in effect, if a
   * write over `refusedBefore` was refused earlier.
   */
  refutes(over: string, refusedBefore: string | undefined): boolean;
  /**
   * L11: Returns whether the record that a reread found is consistent with the record that was in
   * effect before.
   */
  confirms(read: LedgerRecord | null, before: LedgerRecord | null, found: Found): boolean;
  /**
   * L5, L11: Returns the start of the waits after the register was read to its end. `before` is set
   * if this was a reread that confirmed the earlier record.
   */
  afterReading(readAt: Instant, before: Waits | undefined, shape: MemberConfig['shape']): Waits;
  /**
   * L11: Returns since when history may be missing after another record took effect; `since` is the
   * value before that record. A record never shortens the wait.
   */
  mistrustedAfterRecord(since: Instant | undefined): Instant | undefined;
  /** L2: Returns whether the holder is this incarnation. */
  isMine(
    holder: { readonly incarnation: string; readonly member: string },
    self: MemberConfig,
  ): boolean;
  /** L3: Returns the attempt that took effect as `record`. */
  proof(record: LedgerRecord, attempts: readonly Attempt[]): Attempt | undefined;
  /**
   * L3: Returns the deadline of a lease whose attempt took effect. The result must not depend on
   * `seenAt`.
   */
  believeUntil(sentAt: Instant, seenAt: Instant, thresholdMs: number, driftRate: number): Instant;
  /** L7: Returns the deadline of a delegated lease. */
  believeDelegatedUntil(
    request: OwnRequest,
    record: LedgerRecord,
    self: MemberConfig,
    seenAt: Instant,
  ): Instant;
  /**
   * L7: Returns T for a release that answers `request`. The new holder and all waiting members use
   * this T.
   */
  delegatedMs(request: LeaseRequest, self: MemberConfig): number;
  /**
   * T3: Returns whether a proof with `token` begins a term; `ended` is the token of the last term
   * that this member led.
   */
  begins(token: bigint, ended: bigint): boolean;
  /** L5: Returns when a candidate may replace a record that it received at `arrivedAt`. */
  lapsesAt(arrivedAt: Instant, thresholdMs: number, driftRate: number): Instant;
  /**
   * L9: Returns how much longer than the preferred member a stand-in waits on an empty register.
   * Members do not start simultaneously.
   */
  coldStartMs(self: MemberConfig): number;
  /** L9: Returns how much longer the preferred member waits on an empty register. */
  firstClaimMs(partition: number, self: Pick<MemberConfig, 'thresholdMs'>): number;
  /**
   * L13, L16: Returns the death of the holder by `record`, if it was proved. A kind of record that
   * this release does not know may name another holder (L1).
   */
  deathOf(record: LedgerRecord, deaths: readonly Death[]): Death | undefined;
  /**
   * L13: Returns how old a term must be when its holder dies, for the lease to be released. Work
   * that kills its process would otherwise kill the whole group, one member after the other.
   */
  youngMs(thresholdMs: number): number;
  /**
   * L11, L16: Returns when a release for the dead may be sent, if a leader by a missing record may
   * act until `trustedAt`. A member that starts then reads the release, and not that something was
   * lost, so it would claim at once.
   */
  deputesAt(trustedAt: Instant): Instant;
  /** L5: Returns how long a candidate waits while no record is in effect. */
  emptyMs(self: MemberConfig): number;
  /** H2: Returns whether the lease may be released now. */
  mayRelease(drained: boolean): boolean;
  /** L6: Returns the holder's lease state from the moment its release is sent. */
  whileReleasing(leaseState: Believing): LeaseState;
  /** R3: Returns whether the group's pin matches this member's options. */
  agrees(pin: LedgerRecord, self: MemberConfig): boolean;
  /**
   * T1: Returns whether a token counts: it leaves room for later ones. A record is in effect
   * whatever its token, but a token that does not count is not adopted, and begins no term.
   */
  leavesRoom(token: bigint, wallMicros: number): boolean;
  /**
   * T1: Returns the greatest known token, once the floor was read from the second place; `seen` is
   * the greatest one of the records that this member read.
   */
  knownToken(seen: bigint, floor: bigint): bigint;
  /** T1: Returns whether a claim that replaces `effect` must wait until the floor was read. */
  awaitsFloor(effect: LedgerRecord | null): boolean;
  /** T1: Returns whether the floor is raised to `token` before a record with it is sent. */
  raisesFloor(token: bigint, seen: bigint, wallMicros: number): boolean;
  /** T1: Returns the token of a new term. */
  token(previous: bigint, wallMicros: number): bigint;
  /** L8: Returns the time between two renewals. */
  renewMs(thresholdMs: number): number;
  /**
   * L4: Returns the delay before repeating a write whose outcome is unknown, and before a claim
   * after this member's lease expired. `unanswered`: how often the delay doubles.
   * `remainingMs`: the rest of this member's lease, if it leads.
   */
  retryMs(thresholdMs: number, unanswered: number, remainingMs: number): number;
  /**
   * L7: Returns the interval at which a lease request is repeated, and the age up to which a holder answers
   * it.
   */
  requestMs(thresholdMs: number): { readonly every: number; readonly fresh: number };
  /**
   * L7: Returns how long a member sends no lease request after a lease was delegated to it. `unproven` is
   * the number of consecutive delegated leases without a write that the store accepted. Such a
   * member may be able to read but not to write; each of its leases lapses, and the partition has
   * no leader meanwhile.
   */
  requestPauseMs(unproven: number, thresholdMs: number): number;
  /** L7, L11: Returns the received lease requests that remain valid after reading has restarted. */
  requestsAfterRestart(pending: readonly PendingRequest[]): readonly PendingRequest[];
  /**
   * L9: Returns how long a partition stays where it is after a move, before placement may move it
   * again.
   */
  settleMs(thresholdMs: number): number;
  /** L9: Returns how much later than the preferred member a stand-in of that rank claims. */
  staggerMs(rank: number, self: MemberConfig): number;
  /**
   * L9: Returns the extra delay before a claim of a member that does not know the other members.
   */
  unrankedMs(partition: number, self: Pick<MemberConfig, 'thresholdMs' | 'jitter'>): number;
}

/**
 * Milliseconds between the claims of stand-ins. A few suffice for the better-ranked claim to arrive
 * before the next is sent.
 */
const staggerStepMs = 4;
/** The largest stagger, as a fraction of T. It keeps fail-over within 1.05 T. */
const staggerShareMax = 0.02;
/** T divided by the shortest delay before a retry. */
const retriesPerThreshold = 12;
/**
 * How long a member sends no lease request after one delegated lease lapsed without a write, in T. The pause
 * doubles with each further lease, up to `askPauseDoublingsMax` times.
 */
const askPauseThresholds = 8;
const askPauseDoublingsMax = 4;
/** The fraction of T over which members that do not know each other spread their claims. */
const unrankedShare = 1 / 4;

/** The rules as specified in the protocol document. */
export const ledgerRules: LedgerRules = {
  takesEffect: (effect, record) =>
    record.after === (effect?.id ?? null) && record.height === heightAfter(effect),
  precedes: (record, best) => best === null || record.height > best.height,
  // A writer only names a record that it found in effect. A record that lost here may be in effect
  // in another copy after data loss (L11), so an unknown name is a proof as well.
  provesFoldWrong: (effect, record) =>
    record.height > heightAfter(effect) ||
    (record.height === heightAfter(effect) && record.after !== null),
  wentBack: (effect, record) =>
    effect !== null &&
    (record.height < effect.height || (record.height === effect.height && record.id !== effect.id)),
  // One refusal is a lost race: the winner's record is about to be read. A second refusal over the
  // same record shows that no such record is coming.
  refutes: (over, refusedBefore) => over === refusedBefore,
  confirms: (read, before, found) =>
    before === null ||
    found === 'itself' ||
    (found === 'nothing' && read !== null && read.height > before.height),
  afterReading: (readAt, before, shape) => ({
    arrivedAt: readAt,
    mistrustedSince: before || shape === 'log' ? readAt : undefined,
  }),
  mistrustedAfterRecord: (since) => since,
  isMine: (holder, self) => holder.incarnation === self.incarnation,
  proof: (record, attempts) => attempts.find((attempt) => attempt.id === record.id),
  believeUntil: (sentAt, _seenAt, thresholdMs, driftRate) =>
    after(sentAt, thresholdMs * (1 - driftRate)),
  believeDelegatedUntil: (request, record, self) =>
    after(request.sentAt, record.thresholdMs * (1 - self.driftRate)),
  delegatedMs: (request) => request.thresholdMs,
  begins: (token, ended) => token > ended,
  lapsesAt: (arrivedAt, thresholdMs, driftRate) => after(arrivedAt, thresholdMs * (1 + driftRate)),
  deathOf: (record, deaths) => {
    if (record.kind !== 'hold' && record.kind !== 'release') return undefined;
    const holder = holderOf(record)?.incarnation;
    return deaths.find(({ incarnation }) => incarnation === holder);
  },
  youngMs: (thresholdMs) => thresholdMs,
  deputesAt: (trustedAt) => trustedAt,
  // Long enough for members that are started together. One that starts later must not delay the
  // first leader, whoever is preferred: a hand-over moves its share.
  coldStartMs: (self) => self.thresholdMs / 4,
  // Members that start during the wait for an empty register know each other when it ends.
  firstClaimMs: () => 0,
  emptyMs: (self) => self.thresholdMsMax,
  mayRelease: (drained) => drained,
  whileReleasing: ({ token, until }) => ({ kind: 'releasing', token, until }),
  agrees: ({ metadata }, self) =>
    metadata?.['partitions'] === String(self.partitions) &&
    metadata['thresholdMsMax'] === String(self.thresholdMsMax) &&
    (metadata['guarantee'] ?? 'exclusive') === 'exclusive',
  leavesRoom,
  knownToken: (seen, floor) => (floor > seen ? floor : seen),
  // A record in effect carries the greatest token itself.
  awaitsFloor: (effect) => effect === null,
  // Only a new term has a greater token than every record before. Its member cannot know whether
  // its own clock is ahead, so it does not compare the token with that clock.
  raisesFloor: (token, seen) => token > seen,
  token: nextToken,
  renewMs: (thresholdMs) => thresholdMs / 3,
  // The delay doubles each time, because a store that does not answer may be overloaded. Towards the
  // end of a lease it shrinks again: a leader that waited longer than the rest would lose its lease
  // to an outage that was shorter than the lease.
  retryMs: (thresholdMs, unanswered, remainingMs) => {
    const delayMs = (2 ** unanswered * thresholdMs) / retriesPerThreshold;
    return Math.max(Math.min(delayMs, remainingMs / 2), thresholdMs / retriesPerThreshold);
  },
  requestMs: (thresholdMs) => ({ every: thresholdMs / 4, fresh: thresholdMs / 2 }),
  requestPauseMs: (unproven, thresholdMs) =>
    askPauseThresholds * 2 ** Math.min(unproven - 1, askPauseDoublingsMax) * thresholdMs,
  // The event that made this member read again affects other members as well. A member that sent a
  // lease request has then forgotten it, and could not accept the lease that answers it.
  requestsAfterRestart: () => [],
  settleMs: (thresholdMs) => 2 * thresholdMs,
  staggerMs: (rank, self) =>
    Math.min(rank * staggerStepMs, staggerShareMax * self.thresholdMs) * (1 + self.jitter),
  // Later than all ranked members, and in a different order for each partition, so that members
  // that start together each claim about their share.
  unrankedMs: (partition, self) =>
    (2 * staggerShareMax + unrankedShare * scattered(partition, self.jitter)) * self.thresholdMs,
};

/**
 * A number in [0, 1) that depends on partition and member: the finalizer of MurmurHash3, which
 * leaves no pattern.
 */
function scattered(partition: number, jitter: number): number {
  let hash = Math.floor(jitter * 2 ** 32) ^ Math.imul(partition + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
