// The knowledge of one member about one register, by the text of the rules (docs/reference/rules.md): a
// fold of the inputs and outputs of its machine. It never reads the state of the machine.
import type { Instant } from '@leadership/core/adapter';
import type { LedgerInput, MemberConfig } from '@leadership/core/internal/ledger';
import { holderOf, type LeaseRequest, type LedgerRecord } from '@leadership/core/internal/ledger';
import type { Paces } from './paces.ts';

type Input<Kind extends LedgerInput['kind']> = LedgerInput & { readonly kind: Kind };

/** The rules that end a term. */
export type Ending = 'H4' | 'L8' | 'L11' | 'L12';

interface Sent {
  readonly id: string;
  readonly after: string | null;
  readonly at: Instant;
}

interface Received {
  readonly request: LeaseRequest;
  readonly at: Instant;
}

/** A reading that has not reached the end yet. */
interface Reading {
  readonly since: Instant;
  readonly best: LedgerRecord | null;
  readonly arrivedAt: Instant;
  /** Whether the record was read that was in effect before, and whether an older one was. */
  readonly isFound: boolean;
  readonly isOlderRead: boolean;
}

/** The fold. `copy` it before a step to keep the version before. */
export class Knowledge {
  readonly self: MemberConfig;
  readonly partition: number;
  readonly paces: Paces;
  /** The beginning of the ids of its attempts. */
  readonly idPrefix: string;
  /** The record in effect; while a reading is under way, the one before it. */
  effect: LedgerRecord | null = null;
  reading: Reading | undefined;
  arrivedAt: Instant;
  /** Until when history may be missing (L11). */
  doubtUntil: Instant = longAgo;
  /** Whether the register must be read again. */
  mustReread = false;
  /** Whether it has read the register to its end before. */
  hasRead = false;
  isRereading = false;
  refusedOver: string | null | undefined = undefined;
  sent: readonly Sent[] = [];
  asked: readonly Sent[] = [];
  received: readonly Received[] = [];
  belief: { readonly token: bigint; readonly until: Instant } | undefined = undefined;
  isRevoking = false;
  /** Until when work that was fenced has its T (H3). */
  lapsesAt: Instant = longAgo;
  /** The deadline of the term that was released in order. */
  releasingUntil: Instant = longAgo;
  /** When it renews at the latest, and when it repeats a write whose outcome is unknown. */
  renewAt: Instant = longAgo;
  retryAt: Instant = never;
  unanswered = 0;
  ledToken = 0n;
  seenToken = 0n;
  endAt: Instant;
  isFloorRead: boolean;
  pin: Input<'pin'>['pin'] = 'unknown';
  isCampaigning = true;
  abstains: { readonly since: Instant; readonly until: Instant } | undefined = undefined;
  ranks: Input<'ranks'>['ranks'] | undefined = undefined;
  /** Leases delegated to it since the store last accepted one of its writes (L7). */
  unproven = 0;
  pausedUntil: Instant = longAgo;
  movedAt: Instant = longAgo;
  termSince: Instant = longAgo;
  deaths: ReadonlyMap<string, Instant> = new Map();
  /** Why belief must have ended by the end of this step. */
  ends: Ending | undefined = undefined;

  constructor(self: MemberConfig, partition: number, at: Instant, paces: Paces) {
    this.self = self;
    this.partition = partition;
    this.paces = paces;
    this.idPrefix = `${self.member}/${self.incarnation}/`;
    this.arrivedAt = at;
    this.endAt = at;
    this.isFloorRead = self.hasFloor !== true;
    this.reading = beginReading(at);
  }

  copy(): Knowledge {
    return Object.assign(Object.create(Knowledge.prototype) as Knowledge, this);
  }

  /** L2, L6: whether this incarnation holds the lease by the record in effect. */
  get isHolder(): boolean {
    return holderOf(this.effect)?.incarnation === this.self.incarnation;
  }

  /** L9: whether this member wants the lease. */
  get isWanted(): boolean {
    return this.isCampaigning && this.abstains === undefined;
  }

  /** L3, L7: Returns the deadline by the record in effect, for an attempt or request sent then. */
  believedUntil(sentAt: Instant): Instant {
    return after(sentAt, (this.effect?.thresholdMs ?? 0) * (1 - this.self.driftRate));
  }

  /** Returns whether a record that this member writes now begins a term (T1). */
  isNewTerm({ kind, to }: LedgerRecord): boolean {
    return kind === 'hold' ? this.belief === undefined : to !== undefined;
  }

  /** L5: how long others wait for a lease. */
  waitMs(thresholdMs: number): number {
    return thresholdMs * (1 + this.self.driftRate);
  }
}

function beginReading(since: Instant): Reading {
  return {
    since,
    best: null,
    arrivedAt: since,
    isFound: false,
    isOlderRead: false,
  };
}

export function after(at: Instant, ms: number): Instant {
  return (at + ms) as Instant;
}

export function latest(one: Instant, other: Instant): Instant {
  return one > other ? one : other;
}

export const never: Instant = Number.POSITIVE_INFINITY as Instant;
const longAgo: Instant = Number.NEGATIVE_INFINITY as Instant;

/** Folds one input. */
export function learn(known: Knowledge, input: LedgerInput, { now, wallMicros }: Moment): void {
  switch (input.kind) {
    case 'record':
      return learnRecord(known, input, { now, wallMicros });
    case 'end':
      return learnEnd(known, { now, wallMicros });
    case 'restarted':
      return learnRestart(known, now);
    case 'written':
      return learnOutcome(known, input, { now, wallMicros });
    case 'floor':
      noteToken(known, input.token, wallMicros);
      if (known.reading === undefined && input.askedAt >= known.endAt) known.isFloorRead = true;
      return;
    case 'fenced':
      return learnFenced(known, input.lapse, now);
    case 'campaign':
      known.isCampaigning = input.on;
      known.abstains = undefined;
      return noteToken(known, input.above ?? 0n, wallMicros);
    default:
      return learnOther(known, input, now);
  }
}

interface Moment {
  readonly now: Instant;
  readonly wallMicros: number;
}

function learnOther(known: Knowledge, input: LedgerInput, now: Instant): void {
  switch (input.kind) {
    case 'requested':
      return learnRequest(known, input);
    case 'pin':
      known.pin = input.pin;
      return;
    case 'ranks':
      known.ranks = input.ranks;
      return;
    case 'resign':
      known.abstains = { since: now, until: after(now, input.atLeastMs) };
      return;
    case 'died':
      if (!known.deaths.has(input.incarnation))
        known.deaths = new Map([...known.deaths, [input.incarnation, now]]);
      return;
  }
}

/** L7: the latest request of each member. */
function learnRequest(known: Knowledge, { request, receivedAt }: Input<'requested'>): void {
  const others = known.received.filter((one) => one.request.incarnation !== request.incarnation);
  known.received = [...others, { request, at: receivedAt }];
}

/** The host has ended the term. What is left to lapse keeps its T (H3). */
function learnFenced(known: Knowledge, lapse: boolean, now: Instant): void {
  if (lapse) known.abstains = { since: now, until: now };
  if (lapse && known.belief !== undefined) known.lapsesAt = known.belief.until;
  if (known.ends === undefined) known.belief = undefined;
}

/** L1: records of other registers are ignored. */
function learnRecord(known: Knowledge, input: Input<'record'>, moment: Moment): void {
  const { reading, self, partition } = known;
  const { record } = input;
  if (record.group !== self.group || record.partition !== partition) return;
  if (reading !== undefined) known.reading = readOn(reading, known.effect, input);
  else if (record.id === known.effect?.id) return;
  else if (self.shape === 'log') followLog(known, input, moment);
  else followRegister(known, input, moment);
}

/** L10, L11: the earliest record of the greatest height. */
function readOn(
  reading: Reading,
  before: LedgerRecord | null,
  { record, receivedAt }: Input<'record'>,
): Reading {
  const isBest = reading.best === null || record.height > reading.best.height;
  return {
    since: reading.since,
    best: isBest ? record : reading.best,
    arrivedAt: isBest ? receivedAt : reading.arrivedAt,
    isFound: reading.isFound || record.id === before?.id,
    isOlderRead: reading.isOlderRead || (before !== null && record.height <= before.height),
  };
}

/** L1, L12: a record at the next height, or above it, proves the fold wrong unless it follows. */
function followLog(known: Knowledge, input: Input<'record'>, moment: Moment): void {
  const { record, receivedAt } = input;
  const next = heightAfter(known.effect);
  const isNext = record.height === next;
  if (isNext && record.after === (known.effect?.id ?? null))
    return takesEffect(known, record, receivedAt, moment);
  if (record.height < next || (isNext && record.after === null)) return;
  known.mustReread = true;
  forget(known, 'L12');
}

/** L11: versions may be skipped, but heights only grow. */
function followRegister(known: Knowledge, input: Input<'record'>, moment: Moment): void {
  const { effect } = known;
  const { record, receivedAt } = input;
  if (effect === null || record.height > effect.height)
    takesEffect(known, record, receivedAt, moment);
  else known.mustReread = true;
}

/** Returns the height of the record that replaces `effect`. */
export function heightAfter(effect: LedgerRecord | null): number {
  return effect === null || effect.height >= 2 ** 52 ? 0 : effect.height + 1;
}

function takesEffect(
  known: Knowledge,
  record: LedgerRecord,
  arrivedAt: Instant,
  { now, wallMicros }: Moment,
): void {
  const { effect: before, self } = known;
  const holder = holderOf(record)?.incarnation;
  const isMoved = holder !== holderOf(before)?.incarnation;
  if (isMoved) known.movedAt = now;
  if (isMoved || record.token !== before?.token) known.termSince = now;
  known.effect = record;
  known.arrivedAt = arrivedAt;
  known.refusedOver = undefined;
  if (known.sent.length > 0)
    known.sent = known.sent.filter(({ id, after: over }) => id === record.id || over === record.id);
  noteToken(known, record.token, wallMicros);
  if (record.incarnation === self.incarnation) proveWriting(known);
  const isOther = known.belief !== undefined && record.token !== known.belief.token;
  if (isOther || holder !== self.incarnation) known.ends ??= 'L8';
}

/** L7: the store accepts the writes of this member. */
function proveWriting(known: Knowledge): void {
  known.unproven = 0;
  known.pausedUntil = longAgo;
}

/** T1: a token counts if it leaves room for later ones. */
function noteToken(known: Knowledge, token: bigint, wallMicros: number): void {
  if (token > known.seenToken && leavesRoom(token, wallMicros)) known.seenToken = token;
}

/** Returns whether a token is at most 2^61 microseconds ahead of the wall clock (T1). */
export function leavesRoom(token: bigint, wallMicros: number): boolean {
  return token <= aheadMax || token <= BigInt(Math.floor(wallMicros)) + aheadMax;
}

const aheadMax = 2n ** 61n;

/** L10, L11: the record before must be found again, unless no record as old is left. */
function learnEnd(known: Knowledge, moment: Moment): void {
  const { reading, effect } = known;
  if (reading === undefined) return;
  const { best, arrivedAt, isFound, isOlderRead } = reading;
  if (effect !== null && !isFound && (isOlderRead || best === null)) forget(known, 'L11');
  // The record of a register is all of it, so it has been read once that arrived.
  const isAtOnce = known.self.shape === 'register' && best !== null;
  endReading(known, isAtOnce ? arrivedAt : moment.now);
  known.endAt = moment.now;
  if (best === null) known.effect = null;
  else if (best.id !== effect?.id) takesEffect(known, best, arrivedAt, moment);
  known.arrivedAt = best === null ? moment.now : arrivedAt;
}

/** L11: a log, and a register that was read again, is in doubt for T_max. */
function endReading(known: Knowledge, readAt: Instant): void {
  known.reading = undefined;
  known.endAt = readAt;
  if (known.self.shape === 'log' || known.hasRead)
    known.doubtUntil = after(readAt, known.waitMs(known.paces.emptyMs(known.self)));
  known.hasRead = true;
}

/** L11, L12: what was read is wrong, and what was sent proves nothing. */
function forget(known: Knowledge, rule: Ending): void {
  known.ends ??= rule;
  known.sent = [];
  known.asked = [];
}

/** L11: what was sent before counts only if it proves a running term. */
function learnRestart(known: Knowledge, now: Instant): void {
  if (known.belief === undefined) known.sent = [];
  known.asked = [];
  known.received = [];
  known.mustReread = false;
  known.isRereading = false;
  known.refusedOver = undefined;
  known.isFloorRead = known.self.hasFloor !== true;
  known.reading = beginReading(now);
}

/**
 * L3, L11: where the store compares, an acknowledged write is in effect, if it was sent after the
 * reading began.
 */
function learnOutcome(
  known: Knowledge,
  { record, outcome }: Input<'written'>,
  moment: Moment,
): void {
  if (outcome === 'unknown') return learnUnanswered(known, moment.now);
  known.unanswered = 0;
  proveWriting(known);
  if (outcome === 'refused') return learnRefused(known, record);
  const sentAt = known.sent.find(({ id }) => id === record.id)?.at;
  if (outcome !== 'in-effect' || known.self.shape === 'log' || sentAt === undefined) return;
  if (known.reading !== undefined) {
    if (sentAt < known.reading.since) return;
    endReading(known, moment.now);
  }
  if (record.id !== known.effect?.id) takesEffect(known, record, moment.now, moment);
}

/** L4: a leader repeats a write after T/12, T/6, then half of the rest of its lease. */
function learnUnanswered(known: Knowledge, now: Instant): void {
  const { belief, self, unanswered } = known;
  const leastMs = self.thresholdMs / 12;
  const restMs = belief === undefined ? 0 : belief.until - now;
  const delayMs = unanswered < 2 ? leastMs * 2 ** unanswered : Math.max(restMs / 2, leastMs);
  known.retryAt = after(now, delayMs);
  known.unanswered += 1;
}

/**
 * L5, L11: an empty register is not empty; a second refusal over a record refutes it. A register that
 * is being read again is not read once more.
 */
function learnRefused(known: Knowledge, { after: over }: LedgerRecord): void {
  if (known.reading !== undefined || over !== (known.effect?.id ?? null)) return;
  if (over === null) known.hasRead = false;
  if (over === null || over === known.refusedOver) known.mustReread = true;
  known.refusedOver = over;
}
