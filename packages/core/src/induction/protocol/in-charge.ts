// Decides whether this member is in charge of the partition, from the coordinator's decision and
// the beats of its successor.
import { after, type Instant, longAgo, never } from '../../time/instant.ts';
import type { Beat } from '../beat.ts';
import type { Successor } from './state.ts';
import { earlier, isBelieving, lapsesAt, type StepContext } from './step-context.ts';

/** Returns whether the partition is assigned to this member, and it wants to lead. */
export function isInCharge(context: StepContext): boolean {
  return isAssigned(context) && !isLeaving(context);
}

/**
 * Returns whether this member is assigned the partition that it resigned, so that no other member
 * will take over: it may begin another term once the resigned one has ended.
 */
export function isAssignedAgain(context: StepContext): boolean {
  return (
    context.state.abstention?.endsWithTerm === true && isAssigned(context) && isCandidate(context)
  );
}

/** Returns whether this member wants to lead, in this term or in the next. */
export function isCandidate(context: StepContext): boolean {
  const { abstention, campaigning } = context.state;
  return campaigning && (abstention?.endsWithTerm === true || !abstains(context));
}

function isAssigned(context: StepContext): boolean {
  const { assigned, generation, self } = context.state;
  const isKnown = generation !== undefined || !self.numbered;
  return assigned && isKnown && !isSucceeded(context);
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
  return !context.state.campaigning || abstains(context);
}

/** Returns whether this member gave up the partition and still does not lead it (L9). */
export function abstains(context: StepContext): boolean {
  return context.now < abstainsUntil(context);
}

/**
 * Returns when the abstention ends: after 2T, or after T without a leader, but not before its
 * minimum, and never before the resigned term has ended.
 */
export function abstainsUntil({ state }: StepContext): Instant {
  const { abstention, leader, self, leaseState } = state;
  if (abstention === undefined) return longAgo;
  if (isBelieving(leaseState)) return never;
  if (abstention.endsWithTerm) return longAgo;
  const settledAt = after(abstention.since, 2 * self.thresholdMs);
  const leaderlessSince = Math.max(
    abstention.since,
    leader?.leads ? leader.lastBeatAt : longAgo,
  ) as Instant;
  const leaderlessForTAt = after(leaderlessSince, self.thresholdMs);
  return Math.max(
    after(abstention.since, abstention.atLeastMs),
    Math.min(settledAt, leaderlessForTAt),
  ) as Instant;
}

/**
 * Makes this member abstain from the partition from now on, at least until an earlier abstention
 * would have ended.
 */
export function abstain({ state, now }: StepContext, atLeastMs: number): void {
  const { since, atLeastMs: before } = state.abstention ?? { since: now, atLeastMs: 0 };
  state.abstention = {
    since: now,
    atLeastMs: Math.max(atLeastMs, after(since, before) - now),
    endsWithTerm: false,
  };
}

/**
 * Ends the abstention. If the resigned term still lasts, it ends first: the caller of `resign`
 * waits for that.
 */
export function endAbstention({ state, rules }: StepContext): void {
  const { abstention, leaseState } = state;
  if (abstention === undefined) return;
  const isResigned = isBelieving(leaseState) && rules.endsWhenResigned();
  state.abstention = isResigned ? { ...abstention, endsWithTerm: true } : undefined;
}
