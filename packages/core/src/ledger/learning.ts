import { after, type Instant, longAgo } from '../time/instant.ts';
import { abstains } from './claiming.ts';
import { type Folded, foldConfirmed, foldEnd, foldRecord, foldRestarted, inEffect, unread } from './fold.ts';
import { holderOf, type LedgerRecord } from './record.ts';
import type { LedgerInput } from './state.ts';
import { fence, type Proof, prolong, takeUp } from './tenure.ts';
import { isBelieving, isHeldHere, type Turn } from './turn.ts';

/** A record was read. */
export function learnRecord(turn: Turn, record: LedgerRecord, receivedAt: Instant): void {
  const { rules, state } = turn;
  settle(turn, foldRecord(rules, state.self.shape, state.fold, record, receivedAt), 'L12');
}

/** The register was read to its end. */
export function learnEnd(turn: Turn): void {
  settle(turn, foldEnd(turn.rules, turn.state.self.shape, turn.state.fold, turn.now), 'L11');
}

/**
 * The position was lost (L11). What was sent on the strength of what had been read may be answered by another history: only a
 * running term goes on. Requests that were heard are forgotten also while leading: a holder that hands over to a member that has forgotten
 * its request leaves the partition without a leader for T (L7).
 */
export function learnRestart({ state, rules, now }: Turn): void {
  state.fold = foldRestarted(state.fold, now);
  state.rereading = false;
  state.heard = rules.heardAfterRestart(state.heard);
  if (isBelieving(state.tenure)) return;
  state.tenure = { kind: 'follower' };
  state.attempts = [];
  state.wants = [];
}

/** The store answered a write. Where it compares, being current is being in effect; anything else leaves the fold to decide (L3). */
export function learnWritten(turn: Turn, { record, outcome }: LedgerInput & { kind: 'written' }): void {
  const { state, now } = turn;
  const attempt = state.attempts.find(({ id }) => id === record.id);
  if (outcome === 'in-effect' && attempt) settle(turn, foldConfirmed(turn.rules, state.fold, record, attempt.sentAt, now), 'L12');
  if (outcome === 'refused') learnRefused(turn, record);
  if (outcome === 'unknown') retry(turn);
  else {
    state.unanswered = 0;
    provedWriting(turn);
  }
}

/** The store took a write: this member may ask again (L7). */
function provedWriting({ state }: Turn): void {
  if (state.unproven === 0) return;
  state.unproven = 0;
  state.askAt = longAgo;
}

/** A lease was handed over. Until a write shows that this member can keep one, it is slow to ask for the next. */
function notProvedYet({ state, rules, now }: Turn): void {
  state.unproven += 1;
  state.askAt = after(now, rules.askPauseMs(state.unproven, state.self.thresholdMs));
}

/** Sooner than the next write is due anyway; less and less so, for a store that does not answer may have too much to do. */
function retry({ state, rules, now }: Turn): void {
  state.writeAt = earlier(state.writeAt, after(now, rules.retryMs(state.self.thresholdMs) * 2 ** state.unanswered));
  state.unanswered = Math.min(state.unanswered + 1, doublingsMax);
}

/** From T/12 to T/3. */
const doublingsMax = 2;

/**
 * Where nothing was thought to be in effect, something is: no second claim over nothing before it has been read (L5). Losing a
 * race for what is free is no sign that history went missing: what is read counts as for anyone who reads for the first time.
 * Where a record was thought to be in effect and the store refuses writes over it again, it is not, and no news says so: the
 * store went back unnoticed, or reading has stopped (L11).
 */
function learnRefused(turn: Turn, record: LedgerRecord): void {
  const { state, rules, now } = turn;
  const { fold, refusedOver } = state;
  state.attempts = state.attempts.filter((attempt) => attempt.id !== record.id);
  if (fold.kind !== 'following' || record.after !== (fold.effect?.id ?? null)) return;
  state.refusedOver = record.after ?? undefined;
  if (record.after === null) {
    state.fold = unread(now);
    reread(turn);
  } else if (rules.refutes(record.after, refusedOver)) reread(turn);
}

/** Has the register read again, once. */
function reread({ state, outputs }: Turn): void {
  if (state.rereading) return;
  state.rereading = true;
  state.refusedOver = undefined;
  outputs.push({ kind: 'reread' });
}

function settle(turn: Turn, { fold, verdict }: Folded, rule: 'L11' | 'L12'): void {
  const { state } = turn;
  const heldBefore = holderOf(inEffect(state.fold))?.incarnation;
  state.fold = fold;
  if (verdict === 'nothing') return;
  if (verdict === 'went-back') return reread(turn);
  if (verdict === 'proved-wrong') startOver(turn, rule);
  else tookEffect(turn);
  const record = inEffect(fold);
  if (record !== null && record.token > state.seenToken) state.seenToken = record.token;
  if (holderOf(record)?.incarnation !== heldBefore) state.movedAt = turn.now;
}

function startOver(turn: Turn, rule: 'L11' | 'L12'): void {
  const { state, outputs } = turn;
  state.refusedOver = undefined;
  state.attempts = [];
  state.wants = [];
  if (isBelieving(state.tenure)) fence(turn, 'superseded');
  state.tenure = { kind: 'follower' };
  outputs.push({ kind: 'broken', rule });
  if (rule === 'L12') reread(turn);
}

/** Another record than before is in effect: it is proof for its holder, and the end for any other (L3, L8). */
function tookEffect(turn: Turn): void {
  const { state, rules } = turn;
  const record = inEffect(state.fold);
  const proof = record && rules.proof(record, state.attempts);
  state.attempts = [];
  state.refusedOver = undefined;
  const mine = record?.incarnation === state.self.incarnation;
  if (mine) provedWriting(turn);
  if (record !== null && isHeldHere(turn)) return provedHere(turn, record, proof?.sentAt);
  if (isBelieving(state.tenure)) {
    if (!mine) turn.outputs.push({ kind: 'broken', rule: 'L8' });
    if (mine) turn.outputs.push({ kind: 'released' });
    else fence(turn, 'superseded');
  }
  state.tenure = { kind: 'follower' };
  state.writeAt = longAgo;
}

function provedHere(turn: Turn, record: LedgerRecord, sentAt: Instant | undefined): void {
  const { state, rules, now } = turn;
  if (state.tenure.kind === 'releasing') {
    state.writeAt = now;
    return;
  }
  const proof = record.kind === 'release' ? proofByDelegation(turn, record) : proofByWrite(turn, record, sentAt);
  if (isBelieving(state.tenure) && record.token === state.tenure.token) return prolong(turn, state.tenure, proof);
  if (isBelieving(state.tenure)) fence(turn, 'superseded');
  state.writeAt = record.kind === 'release' ? now : state.writeAt;
  if (proof.until > now && state.campaigning && state.pin === 'agrees' && !abstains(turn) && rules.begins(record.token, state.ledToken)) {
    takeUp(turn, record.token, proof);
    if (record.kind === 'release') notProvedYet(turn);
  }
}

const noProof: Proof = { until: longAgo, sentAt: longAgo };

/** The proof that a write of one's own is. */
function proofByWrite({ rules, state, now }: Turn, record: LedgerRecord, sentAt: Instant | undefined): Proof {
  if (sentAt === undefined) return noProof;
  return { until: rules.believeUntil(sentAt, now, record.thresholdMs, state.self.driftRate), sentAt };
}

/** The proof that another's release is, which answers a want (L7). */
function proofByDelegation({ rules, state, now }: Turn, record: LedgerRecord): Proof {
  const want = state.wants.find(({ id }) => id === record.to?.want);
  return want === undefined ? noProof : { until: rules.believeDelegatedUntil(want, record, state.self, now), sentAt: want.sentAt };
}

function earlier(a: Instant, b: Instant): Instant {
  return a < b ? a : b;
}
