// The numbers and comparisons that safety rests on, each a function of its own, so that a mutant is one rule replaced.
// The engine around them only says when they are asked.
import type { Instant } from '../time/instant.ts';
import { after } from '../time/instant.ts';
import type { Found, Waits } from './fold.ts';
import type { Want } from './ledger.ts';
import type { LedgerRecord } from './record.ts';
import type { Attempt, Believing, Contender, Heard, OwnWant, Tenure } from './state.ts';

/** Every rule that is a number or a comparison. The engine asks for each by name; nothing in it knows better. */
export interface LedgerRules {
  /** L1: whether `record` takes effect after `effect`, in a log that shows every attempt. */
  takesEffect(effect: LedgerRecord | null, record: LedgerRecord): boolean;
  /** L10: whether `record` rather than `best` is in effect, of those visible when a reader starts. */
  precedes(record: LedgerRecord, best: LedgerRecord | null): boolean;
  /** L12: whether `record` shows that `effect` cannot be what is in effect. */
  provesFoldWrong(effect: LedgerRecord | null, record: LedgerRecord): boolean;
  /** L11: whether a register that shows `record` after `effect` has gone back: versions may be skipped, but only grow. */
  wentBack(effect: LedgerRecord | null, record: LedgerRecord): boolean;
  /** L11: whether a refused write over `over` proves that it is not in effect, where a write over `refusedBefore` was refused before. */
  refutes(over: string, refusedBefore: string | undefined): boolean;
  /** L11: whether what was read again still bears out what was in effect before. */
  bearsOut(read: LedgerRecord | null, before: LedgerRecord | null, found: Found): boolean;
  /** L5, L11: what waits count from once a register was read to its end; `before` where it was read again, and bore out what was known. */
  afterReading(readAt: Instant, before: Waits | undefined, shape: Contender['shape']): Waits;
  /** L11: since when history may be missing, once another record has taken effect; `since` is what it was before. No record mends it. */
  mistrustedAfterRecord(since: Instant | undefined): Instant | undefined;
  /** L2: whether the holder is this very incarnation. */
  isMine(holder: { readonly incarnation: string; readonly member: string }, self: Contender): boolean;
  /** L3: which of the attempts took effect as `record`. */
  proof(record: LedgerRecord, attempts: readonly Attempt[]): Attempt | undefined;
  /** L3: until when an attempt that took effect may be believed. `seenAt` must not matter. */
  believeUntil(sentAt: Instant, seenAt: Instant, thresholdMs: number, driftRate: number): Instant;
  /** L7: until when a delegated lease may be believed. */
  believeDelegatedUntil(want: OwnWant, record: LedgerRecord, self: Contender, seenAt: Instant): Instant;
  /** L7: T of a release to whoever sent `want`: the one it believes by, and all others wait by. */
  delegatedMs(want: Want, self: Contender): number;
  /** T3: whether proof of `token` begins a term, where `ended` is the last one that was led here. */
  begins(token: bigint, ended: bigint): boolean;
  /** L5: when a candidate may replace a record it has had since `arrivedAt`. */
  lapsesAt(arrivedAt: Instant, thresholdMs: number, driftRate: number): Instant;
  /** L9: how much longer than the preferred member stand-ins leave nothing in effect alone, as members do not start all at once. */
  coldStartMs(self: Contender): number;
  /** L5: how long nothing in effect is waited for. */
  emptyMs(self: Contender): number;
  /** H2: whether the lease may be released now. */
  mayRelease(drained: boolean): boolean;
  /** L6: what the holder is from the moment its release is sent. */
  whileReleasing(tenure: Believing): Tenure;
  /** R3: whether the group's pin says what this member is configured to. */
  agrees(pin: LedgerRecord, self: Contender): boolean;
  /** T1. */
  token(previous: bigint, wallMicros: number): bigint;
  /** L8: how long after a proof was sent the next one is. */
  renewMs(thresholdMs: number): number;
  /** L4: how soon a write whose fate is unknown is tried again, and a lease that expired under its holder. */
  retryMs(thresholdMs: number): number;
  /** L7: how often a want is repeated, and how young one must be to be answered. */
  wantMs(thresholdMs: number): { readonly every: number; readonly fresh: number };
  /**
   * L7: how long a member asks for nothing after it was handed a lease, where it was handed `unproven` of them in a row without one
   * write that the store took. It may be able to read and not to write: then each lease lapses, and nobody leads meanwhile.
   */
  askPauseMs(unproven: number, thresholdMs: number): number;
  /** L7, L11: which requests heard from others still count once reading has started over. */
  heardAfterRestart(heard: readonly Heard[]): readonly Heard[];
  /** L9: how long after its last move a partition may move again for placement's sake. */
  settleMs(thresholdMs: number): number;
  /** L9: how much later than the preferred one a stand-in of that rank claims. */
  staggerMs(rank: number, self: Contender): number;
  /** L9: how much later a member claims that does not know who else is there. */
  unrankedMs(partition: number, self: Pick<Contender, 'thresholdMs' | 'jitter'>): number;
}

/** Milliseconds between the claims of stand-ins: a few, so that the better-ranked claim is seen before the next is sent. */
const staggerStepMs = 4;
/** The largest stagger, as a share of T: fail-over must stay within 1.05 T. */
const staggerShareMax = 0.02;
/** How long nothing is asked for after one lease that lapsed without a write, in T; it doubles with each, so often at most. */
const askPauseThresholds = 8;
const askPauseDoublingsMax = 4;
/** Over which share of T the claims of members are spread that do not know of one another. */
const unrankedShare = 1 / 4;

/** The rules as PROTOCOLS has them. */
export const ledgerRules: LedgerRules = {
  takesEffect: (effect, record) => record.after === (effect?.id ?? null) && record.height === heightAfter(effect),
  precedes: (record, best) => best === null || record.height > best.height,
  // Nobody names a record that it did not find in effect: not even one that lost here, as a copy of it may have, after a loss (L11).
  provesFoldWrong: (effect, record) =>
    record.height > heightAfter(effect) || (record.height === heightAfter(effect) && record.after !== null),
  wentBack: (effect, record) =>
    effect !== null && (record.height < effect.height || (record.height === effect.height && record.id !== effect.id)),
  // One refusal is a lost race, whose winner is about to be read. A second one shows that nothing is going to be read.
  refutes: (over, refusedBefore) => over === refusedBefore,
  bearsOut: (read, before, found) =>
    before === null || found === 'itself' || (found === 'nothing' && read !== null && read.height > before.height),
  afterReading: (readAt, before, shape) => ({ arrivedAt: readAt, mistrustedSince: before || shape === 'log' ? readAt : undefined }),
  mistrustedAfterRecord: (since) => since,
  isMine: (holder, self) => holder.incarnation === self.incarnation,
  proof: (record, attempts) => attempts.find((attempt) => attempt.id === record.id),
  believeUntil: (sentAt, _seenAt, thresholdMs, driftRate) => after(sentAt, thresholdMs * (1 - driftRate)),
  believeDelegatedUntil: (want, record, self) => after(want.sentAt, record.thresholdMs * (1 - self.driftRate)),
  delegatedMs: (want) => want.thresholdMs,
  begins: (token, ended) => token > ended,
  lapsesAt: (arrivedAt, thresholdMs, driftRate) => after(arrivedAt, thresholdMs * (1 + driftRate)),
  coldStartMs: (self) => self.thresholdMs,
  emptyMs: (self) => self.thresholdMsMax,
  mayRelease: (drained) => drained,
  whileReleasing: ({ token, until }) => ({ kind: 'releasing', token, until }),
  agrees: ({ metadata }, self) =>
    metadata?.['partitions'] === String(self.partitions) &&
    metadata['thresholdMsMax'] === String(self.thresholdMsMax) &&
    (metadata['guarantee'] ?? 'exclusive') === 'exclusive',
  token: (previous, wallMicros) => {
    const next = previous + 1n;
    const wall = BigInt(wallMicros);
    return wall > next ? wall : next;
  },
  renewMs: (thresholdMs) => thresholdMs / 3,
  retryMs: (thresholdMs) => thresholdMs / 12,
  wantMs: (thresholdMs) => ({ every: thresholdMs / 4, fresh: thresholdMs / 2 }),
  askPauseMs: (unproven, thresholdMs) => askPauseThresholds * 2 ** Math.min(unproven - 1, askPauseDoublingsMax) * thresholdMs,
  // Whatever made this member read again made others do so: who had asked forgot its request then, and could not take what answers it.
  heardAfterRestart: () => [],
  settleMs: (thresholdMs) => 2 * thresholdMs,
  staggerMs: (rank, self) => Math.min(rank * staggerStepMs, staggerShareMax * self.thresholdMs) * (1 + self.jitter),
  // Behind those that are ranked, and for each partition in another order: of members that start together each claims about its share.
  unrankedMs: (partition, self) => (2 * staggerShareMax + unrankedShare * scattered(partition, self.jitter)) * self.thresholdMs,
};

function heightAfter(effect: LedgerRecord | null): number {
  return effect === null ? 0 : effect.height + 1;
}

/** In [0, 1), another number for each partition and member: the last step of MurmurHash3, which leaves no pattern. */
function scattered(partition: number, jitter: number): number {
  let hash = Math.floor(jitter * 2 ** 32) ^ Math.imul(partition + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
