// Decides whether this member is in charge of the partition, from the coordinator's decision and
// the beats of its successor.
import type { Instant } from '@leadership/core/adapter';
import { after, longAgo, never } from '@leadership/core/internal/engine';
import type { Beat } from '../beat.ts';
import type { Successor } from './state.ts';
import { earlier, isBelieving, lapsesAt, later, type StepContext } from './step-context.ts';

/** Returns whether this member is in charge, and did not resign its term. */
export function isInCharge(context: StepContext): boolean {
  return mayLead(context) && !isLeaving(context);
}

/** Returns whether the partition is assigned to this member, and it wants this term or another. */
export function mayLead(context: StepContext): boolean {
  const { assigned, generation, self } = context.state;
  const isKnown = generation !== undefined || !self.numbered;
  return assigned && isKnown && isCandidate(context) && !isSucceeded(context);
}

/** Returns whether another member was put in charge after this one. */
export function isSucceeded(context: StepContext): boolean {
  const { successors } = context.state;
  return successors.length > 0 && successors.some((successor) => isActive(context, successor));
}

/**
 * Returns the members in charge after this one whose beats arrived recently. A successor that is
 * silent for T no longer counts.
 */
export function successorsNow(context: StepContext): readonly Successor[] {
  return context.state.successors.filter((successor) => isActive(context, successor));
}

/** Returns whether the successor is in charge, and its last beat is younger than T. */
function isActive(context: StepContext, { standing, lastBeatAt }: Successor): boolean {
  return isOwner(standing) && context.now < lapsesAt(context, lastBeatAt);
}

/** Returns when the first of the successors will have been silent for T; `never` without any. */
export function successorLapsesAt(context: StepContext): Instant {
  let first: Instant = never;
  for (const successor of context.state.successors)
    if (isActive(context, successor))
      first = earlier(first, lapsesAt(context, successor.lastBeatAt));
  return first;
}

/** Returns whether a beat of that standing means that its sender is in charge. */
export function isOwner(standing: Beat['standing']): boolean {
  return standing === 'assigned' || standing === 'leading';
}

/**
 * Returns whether no member can have read a beat of this one for T. Its own beats do not return,
 * although those of other members may keep it leading.
 */
export function isUnread({ state, rules, now }: StepContext): boolean {
  return state.self.beats === 'all' && now >= rules.believeUntil(state.ownProvedAt, state.self);
}

/** Returns whether this member leaves, or stays away, voluntarily. */
export function isLeaving(context: StepContext): boolean {
  return !isCandidate(context) || hasResigned(context);
}

/** Returns whether this member wants to lead, in this term or in another. */
export function isCandidate(context: StepContext): boolean {
  return context.state.campaigning && !abstains(context);
}

/** Returns whether this member resigned its term: that ends, even if it is in charge again (H2). */
function hasResigned({ state, rules }: StepContext): boolean {
  const isResigned = state.abstention !== undefined && isBelieving(state.leaseState);
  return isResigned && rules.endsWhenResigned();
}

/** Returns whether this member leaves the partition to others (L9). */
export function abstains(context: StepContext): boolean {
  return context.now < abstainsUntil(context);
}

/**
 * Returns when the abstention ends: after its minimum, and unless the partition comes back to this
 * member, only after the resigned term and 2T, or T without a leader.
 */
export function abstainsUntil({ state }: StepContext): Instant {
  const { abstention, leader, self, leaseState } = state;
  if (abstention === undefined) return longAgo;
  const { since, atLeastMs, endsAtMinimum } = abstention;
  const leastAt = after(since, atLeastMs);
  if (endsAtMinimum) return leastAt;
  if (isBelieving(leaseState)) return never;
  const leaderlessSince = later(since, leader?.leads ? leader.lastBeatAt : longAgo);
  const settledAt = after(since, 2 * self.thresholdMs);
  return later(leastAt, earlier(settledAt, after(leaderlessSince, self.thresholdMs)));
}

/**
 * Makes this member abstain from the partition from now on, at least until an earlier abstention
 * would have ended.
 */
export function abstain({ state, now }: StepContext, atLeastMs: number): void {
  const { since, atLeastMs: before } = state.abstention ?? { since: now, atLeastMs: 0 };
  const leastMs = Math.max(atLeastMs, after(since, before) - now);
  state.abstention = { since: now, atLeastMs: leastMs, endsAtMinimum: false };
}

/** Ends the abstention, except that a resigned term ends (H2). */
export function endAbstention({ state, now }: StepContext): void {
  const isResigned = state.abstention !== undefined && isBelieving(state.leaseState);
  state.abstention = isResigned ? { since: now, atLeastMs: 0, endsAtMinimum: true } : undefined;
}
