// How this member's leadership of a partition begins, goes on and ends. Part of the machine in
// `step.ts`.
import type { LossReason } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { after, longAgo, never } from '@leadership/core/internal/engine';
import {
  isInCharge,
  isLeaving,
  isSucceeded,
  isUnread,
  mayLead,
  successorsNow,
} from './in-charge.ts';
import type { HeldLease } from './state.ts';
import { believedUntil, earlier, isBelieving, type StepContext } from './step-context.ts';

/**
 * Ends what has expired, before the step does anything else: a later proof does not revive a term
 * (T3).
 */
export function expire(context: StepContext): void {
  const { state, now } = context;
  if (state.provenSince !== undefined && now >= believedUntil(context))
    state.provenSince = undefined;
  if (isBelieving(state.leaseState) && now >= state.leaseState.until) fence(context, 'expired');
}

/**
 * Begins a term once this member is in charge and has been proved to be for long enough (I1, I5).
 */
export function begin(context: StepContext): void {
  const { state, rules, now, wallMicros, outputs } = context;
  if (now < beginsAt(context)) return;
  const token = rules.token(state.seenToken, wallMicros);
  const until = believedUntil(context);
  state.leaseState = { kind: 'leading', token, until };
  state.seenToken = token;
  state.abstention = undefined;
  state.beatAt = now;
  outputs.push({ kind: 'granted', token, until, sentAt: state.provedAt });
}

/** Returns when a term may begin if nothing changes. */
export function beginsAt(context: StepContext): Instant {
  const { state, rules, now } = context;
  if (isBelieving(state.leaseState) || !isInCharge(context) || now >= believedUntil(context))
    return never;
  if (state.provenSince === undefined) return rules.beginsUnread() ? now : never;
  return after(state.provenSince, rules.graceMs(state.self));
}

/**
 * Returns whether a beat is a proof now: for a member in charge, and for a member that leaves
 * voluntarily until another is in charge.
 */
export function mayProve(context: StepContext): boolean {
  const { leaseState } = context.state;
  if (leaseState.kind === 'follower' || leaseState.kind === 'leading') return isInCharge(context);
  return !leaseState.frozen || context.rules.provesWhileFrozen();
}

/** Applies a proof. Of several proofs, the latest counts. */
export function prove(context: StepContext, publishedAt: Instant, isOwn: boolean): void {
  const { state, now, outputs } = context;
  const { leaseState } = state;
  if (publishedAt > state.provedAt) state.provedAt = publishedAt;
  const until = believedUntil(context);
  if (isOwn && now < until) state.provenSince ??= now;
  if (!isBelieving(leaseState) || until <= leaseState.until) return;
  state.leaseState = extended(leaseState, until);
  outputs.push({ kind: 'granted', token: leaseState.token, until, sentAt: state.provedAt });
}

function extended(leaseState: HeldLease, until: Instant): HeldLease {
  // The usual kind needs no spread, which is slow.
  if (leaseState.kind === 'leading') return { kind: 'leading', token: leaseState.token, until };
  return { ...leaseState, until };
}

/** Advances the end of the term as far as possible. */
export function advance(context: StepContext): void {
  const { leaseState } = context.state;
  if (leaseState.kind === 'leading' && !isInCharge(context)) part(context, leaseState);
  else if (leaseState.kind === 'lingering') linger(context, leaseState);
  else if (leaseState.kind === 'revoking') thawOrFreeze(context, leaseState);
}

/**
 * Updates `frozen` during a drain. A drain cannot be cancelled, but if the partition is assigned to
 * this member again, its beats extend the lease again.
 */
function thawOrFreeze(
  context: StepContext,
  leaseState: HeldLease & { readonly kind: 'revoking' },
): void {
  const frozen = mayLeadOn(context) ? false : leaseState.frozen || isFollowed(context);
  if (frozen !== leaseState.frozen) context.state.leaseState = { ...leaseState, frozen };
}

/**
 * Returns whether this member leads on, in this term or in another. An exclusive leader starts over
 * instead (I5).
 */
function mayLeadOn(context: StepContext): boolean {
  return context.state.self.promise === 'continuous' && mayLead(context) && !isUnread(context);
}

/** Yields to other members at once: beats no longer extend the lease. */
export function yieldNow(context: StepContext): void {
  const { leaseState } = context.state;
  if (leaseState.kind === 'leading') drain(context, leaseState, true);
}

/**
 * Handles the loss of the partition: this member leads until another does (I1), or drains at once
 * (I5).
 */
function part(context: StepContext, leaseState: HeldLease): void {
  const { state, rules } = context;
  const { token, until } = leaseState;
  const frozen = !isLeaving(context) || isFollowed(context);
  const how = rules.whenSucceeded(state.self);
  if (how === 'drop') return endTerm(context);
  if (how === 'drain' || (!frozen && state.alone)) return drain(context, leaseState, frozen);
  state.leaseState = { kind: 'lingering', token, until, frozen, patientUntil: never };
  advance(context);
}

function linger(
  context: StepContext,
  leaseState: HeldLease & { readonly kind: 'lingering' },
): void {
  const { state, rules, now } = context;
  const isLast = isLeaving(context);
  const isOwn = mayLeadOn(context);
  if (isOwn && !isLast) {
    state.leaseState = { kind: 'leading', token: leaseState.token, until: leaseState.until };
    return;
  }
  const frozen = !isOwn && (leaseState.frozen || isFollowed(context));
  const patientUntil = isLast
    ? earlier(leaseState.patientUntil, after(now, state.self.thresholdMs))
    : leaseState.patientUntil;
  if (frozen !== leaseState.frozen || patientUntil !== leaseState.patientUntil)
    state.leaseState = { ...leaseState, frozen, patientUntil };
  // Without a beat of the new assignment, another term could not begin when this one ends.
  const isOver = isOwn ? state.provenSince !== undefined : now >= patientUntil;
  const isTakenOver = successorsNow(context).some(({ standing }) => rules.takesOver(standing));
  if (isOver || isTakenOver) drain(context, leaseState, frozen);
}

/** Returns whether another member is in charge, or may be, if only one member may lead. */
function isFollowed(context: StepContext): boolean {
  const { assigned, self } = context.state;
  return isSucceeded(context) || (self.promise === 'exclusive' && !assigned);
}

function drain(
  { state, outputs }: StepContext,
  { token, until }: HeldLease,
  frozen: boolean,
): void {
  state.leaseState = { kind: 'revoking', token, until, frozen };
  outputs.push({ kind: 'drain', token });
}

/** Ends the term in order. An abstention counts from now, unless no other member can lead. */
export function endTerm({ state, outputs, now }: StepContext): void {
  const { abstention } = state;
  if (!isBelieving(state.leaseState)) return;
  state.leaseState = { kind: 'follower' };
  if (abstention?.endsAtMinimum === false) state.abstention = { ...abstention, since: now };
  outputs.push({ kind: 'released' });
}

/** Ends the term at once (H4). */
function fence({ state, outputs }: StepContext, reason: LossReason): void {
  state.leaseState = { kind: 'follower' };
  state.provedAt = longAgo;
  outputs.push({ kind: 'lost', reason });
}
