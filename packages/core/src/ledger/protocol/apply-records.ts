// Applies a record that was read to the state of this member: the record may prove its lease, end
// it, or make another member the leader. Part of the machine in `step.ts`.
import { after, type Instant, longAgo } from '../../time/instant.ts';
import { holderOf, type LedgerRecord } from '../record.ts';
import { abstains } from './claiming.ts';
import {
  type Folded,
  foldConfirmed,
  foldEnd,
  foldRecord,
  foldRestarted,
  inEffect,
  unread,
} from './fold.ts';
import { beginTerm, extendTerm, fence, type Proof } from './lease-state.ts';
import type { LedgerInput } from './state.ts';
import { adoptToken, isBelieving, isHeldHere, type StepContext } from './step-context.ts';

/** Processes a record that was read. */
export function applyRecord(context: StepContext, record: LedgerRecord, receivedAt: Instant): void {
  const { rules, state } = context;
  settle(context, foldRecord(rules, state.self.shape, state.fold, record, receivedAt), 'L12');
}

/** Processes the end of the register. */
export function applyEnd(context: StepContext): void {
  const { rules, state, now } = context;
  if (state.fold.kind === 'reading' && state.self.hasFloor) state.floor = 'unread';
  settle(context, foldEnd(rules, state.self.shape, state.fold, now), 'L11');
}

/**
 * Processes a lost position (L11). Attempts and lease requests that rest on the old position may be answered
 * by a different history, so only a current term survives. Received lease requests are dropped even while
 * leading: their senders have forgotten them, and a release to such a member would leave the
 * partition without a leader for T (L7).
 */
export function applyRestart({ state, rules, now }: StepContext): void {
  state.fold = foldRestarted(state.fold, now);
  state.rereading = false;
  state.refusedOver = undefined;
  state.pendingRequests = rules.requestsAfterRestart(state.pendingRequests);
  if (isBelieving(state.leaseState)) return;
  state.leaseState = { kind: 'follower' };
  state.attempts = [];
  state.ownRequests = [];
}

/**
 * Processes the outcome of a write. If the store compares, a current record is in effect; any other
 * outcome leaves the decision to the fold (L3).
 */
export function applyOutcome(
  context: StepContext,
  { record, outcome }: LedgerInput & { kind: 'written' },
): void {
  const { state, now } = context;
  const attempt = state.attempts.find(({ id }) => id === record.id);
  if (outcome === 'in-effect' && attempt)
    settle(context, foldConfirmed(context.rules, state.fold, record, attempt.sentAt, now), 'L12');
  if (outcome === 'refused') learnRefused(context, record);
  if (outcome === 'unknown') retry(context);
  else {
    state.unanswered = 0;
    provedWriting(context);
  }
}

/** Notes that the store accepted a write: this member may send lease requests again (L7). */
function provedWriting({ state }: StepContext): void {
  if (state.unproven === 0) return;
  state.unproven = 0;
  state.requestAt = longAgo;
}

/**
 * Notes that a lease was delegated to this member. It pauses its lease requests until a write shows that it
 * can keep a lease.
 */
function notProvedYet({ state, rules, now }: StepContext): void {
  state.unproven += 1;
  state.requestAt = after(now, rules.requestPauseMs(state.unproven, state.self.thresholdMs));
}

/** Schedules the retry of a write without an answer, earlier than the next regular write (L4). */
function retry({ state, rules, now }: StepContext): void {
  const { leaseState, self, unanswered } = state;
  const remainingMs = isBelieving(leaseState) ? leaseState.until - now : Number.POSITIVE_INFINITY;
  const retryAt = after(now, rules.retryMs(self.thresholdMs, unanswered, remainingMs));
  state.writeAt = earlier(state.writeAt, retryAt);
  state.unanswered = Math.min(unanswered + 1, doublingsMax);
}

/** Two doublings raise the retry delay from T/12 to T/3. */
const doublingsMax = 2;

/**
 * Processes a write that the store refused.
 *
 * If this member saw no record in effect, there is one: it claims again only after a fresh reading
 * (L5). Losing the race for a free register is no sign of lost history, so the reading counts as a
 * first one.
 *
 * If this member saw a record in effect and the store refuses a second write over it, that record
 * is not in effect although no event says so: either the store went back unnoticed, or the event
 * stream stopped (L11).
 */
function learnRefused(context: StepContext, record: LedgerRecord): void {
  const { state, rules, now } = context;
  const { fold, refusedOver } = state;
  state.attempts = state.attempts.filter((attempt) => attempt.id !== record.id);
  if (fold.kind !== 'following' || record.after !== (fold.effect?.id ?? null)) return;
  state.refusedOver = record.after ?? undefined;
  if (record.after === null) {
    state.fold = unread(now);
    reread(context);
  } else if (rules.refutes(record.after, refusedOver)) reread(context);
}

/** Requests a reread of the register, unless one is pending. */
function reread({ state, outputs }: StepContext): void {
  if (state.rereading) return;
  state.rereading = true;
  state.refusedOver = undefined;
  outputs.push({ kind: 'reread' });
}

function settle(context: StepContext, { fold, verdict }: Folded, rule: 'L11' | 'L12'): void {
  const { state } = context;
  const before = inEffect(state.fold);
  state.fold = fold;
  if (verdict === 'nothing') return;
  if (verdict === 'went-back') return reread(context);
  if (verdict === 'proved-wrong') discardHistory(context, rule);
  else tookEffect(context);
  const record = inEffect(fold);
  if (record !== null && record.token > state.seenToken) adoptToken(context, record.token);
  const isMoved = holderOf(record)?.incarnation !== holderOf(before)?.incarnation;
  if (isMoved) state.movedAt = context.now;
  if (isMoved || record?.token !== before?.token) state.termSince = context.now;
}

function discardHistory(context: StepContext, rule: 'L11' | 'L12'): void {
  const { state, outputs } = context;
  state.refusedOver = undefined;
  state.attempts = [];
  state.ownRequests = [];
  if (isBelieving(state.leaseState)) fence(context, 'superseded');
  state.leaseState = { kind: 'follower' };
  outputs.push({ kind: 'broken', rule });
  if (rule === 'L12') reread(context);
}

/**
 * Processes a new record in effect: a proof for its holder, the end of the term for any other
 * member (L3, L8).
 */
function tookEffect(context: StepContext): void {
  const { state, rules } = context;
  const record = inEffect(state.fold);
  const proof = record && rules.proof(record, state.attempts);
  state.attempts = [];
  state.refusedOver = undefined;
  const mine = record?.incarnation === state.self.incarnation;
  if (mine) provedWriting(context);
  if (record !== null && isHeldHere(context)) return provedHere(context, record, proof?.sentAt);
  if (isBelieving(state.leaseState)) {
    if (!mine) context.outputs.push({ kind: 'broken', rule: 'L8' });
    if (mine) context.outputs.push({ kind: 'released' });
    else fence(context, 'superseded');
  }
  state.leaseState = { kind: 'follower' };
  state.writeAt = longAgo;
}

function provedHere(context: StepContext, record: LedgerRecord, sentAt: Instant | undefined): void {
  const { state, rules, now } = context;
  if (state.leaseState.kind === 'releasing') {
    state.leaseState = { ...state.leaseState, token: record.token };
    state.writeAt = now;
    return;
  }
  const proof =
    record.kind === 'release'
      ? proofByDelegation(context, record)
      : proofByWrite(context, record, sentAt);
  if (isBelieving(state.leaseState) && record.token === state.leaseState.token)
    return extendTerm(context, state.leaseState, proof);
  if (isBelieving(state.leaseState)) fence(context, 'superseded');
  state.writeAt = record.kind === 'release' ? now : state.writeAt;
  if (
    proof.until > now &&
    state.campaigning &&
    state.pin === 'agrees' &&
    !abstains(context) &&
    rules.begins(record.token, state.ledToken) &&
    rules.leavesRoom(record.token, context.wallMicros)
  ) {
    beginTerm(context, record.token, proof);
    if (record.kind === 'release') notProvedYet(context);
  }
}

const noProof: Proof = { until: longAgo, sentAt: longAgo };

/** Returns the proof given by a write of this member. */
function proofByWrite(
  { rules, state, now }: StepContext,
  record: LedgerRecord,
  sentAt: Instant | undefined,
): Proof {
  if (sentAt === undefined) return noProof;
  return {
    until: rules.believeUntil(sentAt, now, record.thresholdMs, state.self.driftRate),
    sentAt,
  };
}

/** Returns the proof given by another member's release that answers a lease request (L7). */
function proofByDelegation({ rules, state, now }: StepContext, record: LedgerRecord): Proof {
  const request = state.ownRequests.find(({ id }) => id === record.to?.requestId);
  return request === undefined
    ? noProof
    : {
        until: rules.believeDelegatedUntil(request, record, state.self, now),
        sentAt: request.sentAt,
      };
}

function earlier(a: Instant, b: Instant): Instant {
  return a < b ? a : b;
}
