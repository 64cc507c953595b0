import type { LossReason } from '../../contract/leadership.ts';
import { after, type Instant, longAgo, never } from '../../time/instant.ts';
import { isGoing, isInCharge, isSucceeded, isUnheard, successorsNow } from './standing.ts';
import type { InducedReign } from './state.ts';
import { believedUntil, isBelieving, type Turn } from './step-context.ts';

/**
 * Ends what has expired, before the step does anything else: a later proof does not revive a term
 * (T3).
 */
export function expire(turn: Turn): void {
  const { state, now } = turn;
  if (state.provenSince !== undefined && now >= believedUntil(turn)) state.provenSince = undefined;
  if (isBelieving(state.tenure) && now >= state.tenure.until) fence(turn, 'expired');
}

/**
 * Begins a term once this member is in charge and has been proved to be for long enough (I1, I5).
 */
export function begin(turn: Turn): void {
  const { state, rules, now, wallMicros, outputs } = turn;
  if (now < beginsAt(turn)) return;
  const token = rules.token(state.seenToken, wallMicros);
  const until = believedUntil(turn);
  state.tenure = { kind: 'leading', token, until };
  state.seenToken = token;
  state.abstention = undefined;
  state.beatAt = now;
  outputs.push({ kind: 'granted', token, until, sentAt: state.provedAt });
}

/** Returns when a term may begin if nothing changes. */
export function beginsAt(turn: Turn): Instant {
  const { state, rules, now } = turn;
  if (isBelieving(state.tenure) || !isInCharge(turn) || now >= believedUntil(turn)) return never;
  if (state.provenSince === undefined) return rules.beginsUnheard() ? now : never;
  return after(state.provenSince, rules.graceMs(state.self));
}

/**
 * Returns whether a beat is a proof now: for a member in charge, and for a member that leaves
 * voluntarily until another is in charge.
 */
export function mayProve(turn: Turn): boolean {
  const { tenure } = turn.state;
  if (tenure.kind === 'follower' || tenure.kind === 'leading') return isInCharge(turn);
  return !tenure.frozen || turn.rules.provesWhileFrozen();
}

/** Applies a proof. Of several proofs, the latest counts. */
export function prove(turn: Turn, publishedAt: Instant, isOwn: boolean): void {
  const { state, now, outputs } = turn;
  const { tenure } = state;
  if (publishedAt > state.provedAt) state.provedAt = publishedAt;
  const until = believedUntil(turn);
  if (isOwn && now < until) state.provenSince ??= now;
  if (!isBelieving(tenure) || until <= tenure.until) return;
  state.tenure = { ...tenure, until };
  outputs.push({ kind: 'granted', token: tenure.token, until, sentAt: state.provedAt });
}

/** Advances the end of the term as far as possible. */
export function goOn(turn: Turn): void {
  const { tenure } = turn.state;
  if (tenure.kind === 'leading' && !isInCharge(turn)) part(turn, tenure);
  else if (tenure.kind === 'lingering') linger(turn, tenure);
  else if (tenure.kind === 'draining') thawOrFreeze(turn, tenure);
}

/**
 * Updates `frozen` during a drain. A drain cannot be cancelled, but if the partition is assigned to
 * this member again, its beats extend the lease again.
 */
function thawOrFreeze(turn: Turn, tenure: InducedReign & { readonly kind: 'draining' }): void {
  const frozen = mayResume(turn) ? false : tenure.frozen || isFollowed(turn);
  if (frozen !== tenure.frozen) turn.state.tenure = { ...tenure, frozen };
}

/** Returns whether this member is in charge again. An exclusive leader starts over instead (I5). */
function mayResume(turn: Turn): boolean {
  return turn.state.self.promise === 'continuous' && isInCharge(turn) && !isUnheard(turn);
}

/** Yields to other members at once: beats no longer extend the lease. */
export function yieldNow(turn: Turn): void {
  const { tenure } = turn.state;
  if (tenure.kind === 'leading') drain(turn, tenure, true);
}

/**
 * Handles the loss of the partition: this member leads until another does (I1), or drains at once
 * (I5).
 */
function part(turn: Turn, tenure: InducedReign): void {
  const { state, rules, now } = turn;
  const { token, until } = tenure;
  const frozen = !isGoing(turn) || isFollowed(turn);
  const how = rules.whenSucceeded(state.self);
  if (how === 'drop') return letGo(turn);
  if (how === 'drain' || (!frozen && state.alone)) return drain(turn, tenure, frozen);
  state.tenure = { kind: 'lingering', token, until, frozen, patientUntil: frozen ? never : after(now, state.self.thresholdMs) };
  goOn(turn);
}

function linger(turn: Turn, tenure: InducedReign & { readonly kind: 'lingering' }): void {
  const { state, rules, now } = turn;
  if (mayResume(turn)) {
    state.tenure = { kind: 'leading', token: tenure.token, until: tenure.until };
    return;
  }
  const frozen = tenure.frozen || isFollowed(turn);
  if (frozen !== tenure.frozen) state.tenure = { ...tenure, frozen };
  const isOver = successorsNow(turn).some(({ standing }) => rules.takesOver(standing));
  if (isOver || now >= tenure.patientUntil) drain(turn, tenure, frozen);
}

/** Returns whether another member is in charge, or may be, if only one member may lead. */
function isFollowed(turn: Turn): boolean {
  const { appointed, self } = turn.state;
  return isSucceeded(turn) || (self.promise === 'exclusive' && !appointed);
}

function drain({ state, outputs }: Turn, { token, until }: InducedReign, frozen: boolean): void {
  state.tenure = { kind: 'draining', token, until, frozen };
  outputs.push({ kind: 'drain' });
}

/** Ends the term in order. */
export function letGo({ state, outputs, now }: Turn): void {
  if (!isBelieving(state.tenure)) return;
  state.tenure = { kind: 'follower' };
  if (state.abstention) state.abstention = { ...state.abstention, since: now };
  outputs.push({ kind: 'released' });
}

/** Ends the term at once (H4). */
function fence({ state, outputs }: Turn, reason: LossReason): void {
  state.tenure = { kind: 'follower' };
  state.provedAt = longAgo;
  outputs.push({ kind: 'lost', reason });
}
