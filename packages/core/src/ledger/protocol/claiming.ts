// Decides when a member claims a partition without a leader. Part of the machine in `step.ts`.
import { after, type Instant, longAgo, never } from '../../time/instant.ts';
import type { Ranks } from '../placement.ts';
import { holderOf, type LedgerRecord } from '../record.ts';
import type { Fold, Waits } from './state.ts';
import { isHeldHere, type StepContext, write } from './step-context.ts';

type Following = Fold & { readonly kind: 'following' };

/**
 * Claims the partition once this member may (L5) and should (L9). Returns when it will claim next
 * if nothing changes.
 */
export function claim(context: StepContext): Instant {
  const dueAt = claimAt(context);
  if (context.now < dueAt) return dueAt;
  const { state, rules } = context;
  state.abstention = undefined;
  const token = rules.token(state.seenToken, context.wallMicros);
  write(context, { kind: 'hold', token });
  return claimAt(context);
}

function claimAt(context: StepContext): Instant {
  const { fold, writeAt, floor } = context.state;
  if (fold.kind !== 'following' || !mayClaim(context)) return never;
  if (floor !== 'read' && context.rules.awaitsFloor(fold.effect)) return never;
  return latest(latest(freeAt(context, fold), abstainsUntil(context, fold)), writeAt);
}

/** Returns when the partition is free for this member to claim. */
function freeAt(context: StepContext, fold: Following): Instant {
  const { ranks, self, partition } = context.state;
  // A lease of this incarnation that has expired on its own clock needs no further wait.
  if (isHeldHere(context))
    return ranks?.indexOf(self.incarnation) === -1 ? never : trustedAt(context, fold.waits);
  const vacant = vacantAt(context, fold);
  // Compute the positions of stand-ins only when they matter, not with each renewal.
  if (context.now < vacant) return vacant;
  if (ranks === undefined)
    return after(
      vacant,
      coldStartMs(context, fold.effect) + context.rules.unrankedMs(partition, self),
    );
  const rank = rankOf(context, ranks, fold);
  return rank < 0 ? never : after(vacant, standInMs(context, fold.effect, rank));
}

/**
 * Returns how many members may claim before this one (L9), or -1 if it should not claim. The last
 * holder is not counted: its lease is over, so no member waits for it.
 */
function rankOf({ state: { self } }: StepContext, ranks: Ranks, { effect }: Following): number {
  const rank = ranks.indexOf(self.incarnation);
  const last = effect === null ? -1 : ranks.indexOf((holderOf(effect) ?? effect).incarnation);
  return last >= 0 && last < rank ? rank - 1 : rank;
}

/**
 * Returns how much later than the preferred member a stand-in claims.
 * - After a release, the members read the record at different times, so the preferred member gets
 *   the spread as a head start (L9).
 * - After a lapse there is no head start: the preferred member may be the one that died.
 * - With nothing in effect, each member waits from its own start. A preferred member that started a
 *   little later gets extra time; otherwise the first member would claim everything and hand it
 *   over later.
 */
function standInMs(context: StepContext, effect: LedgerRecord | null, rank: number): number {
  const { rules, state } = context;
  const { self } = state;
  const isReleased = effect !== null && holderOf(effect) === undefined;
  const headStartMs = isReleased && rank > 0 ? (self.deliverySpreadMs ?? 0) : 0;
  const coldMs = rank > 0 ? coldStartMs(context, effect) : firstClaimMs(context, effect);
  return headStartMs + coldMs + rules.staggerMs(rank, self);
}

/** Returns how much longer all but the preferred member wait on an empty register. */
function coldStartMs({ rules, state }: StepContext, effect: LedgerRecord | null): number {
  return effect === null ? rules.coldStartMs(state.self) : 0;
}

/** Returns how much longer the preferred member waits on an empty register. */
function firstClaimMs({ rules, state }: StepContext, effect: LedgerRecord | null): number {
  return effect === null ? rules.firstClaimMs(state.partition, state.self) : 0;
}

/** Returns whether this member may claim at all. */
export function mayClaim({ state }: StepContext): boolean {
  return state.campaigning && state.pin === 'agrees' && state.leaseState.kind === 'follower';
}

/** Returns whether this member gave up the partition and still does not claim it (L9). */
export function abstains(context: StepContext): boolean {
  const { fold, abstention } = context.state;
  if (abstention === undefined) return false;
  return fold.kind !== 'following' || context.now < abstainsUntil(context, fold);
}

/** Returns when the wait that the record in effect imposes on every member is over (L5). */
export function vacantAt(
  context: StepContext,
  { effect, waits }: Pick<Following, 'effect' | 'waits'>,
): Instant {
  const { rules, state } = context;
  const { self } = state;
  const { arrivedAt } = waits;
  const trusted = trustedAt(context, waits);
  if (effect === null)
    return latest(trusted, rules.lapsesAt(arrivedAt, rules.emptyMs(self), self.driftRate));
  if (holderOf(effect) === undefined) return latest(trusted, arrivedAt);
  return latest(trusted, rules.lapsesAt(arrivedAt, effect.thresholdMs, self.driftRate));
}

/** Returns when a leader by a missing record has stopped acting (L11). */
export function trustedAt(
  { rules, state }: Pick<StepContext, 'rules' | 'state'>,
  { mistrustedSince }: Waits,
): Instant {
  const { self } = state;
  return mistrustedSince === undefined
    ? longAgo
    : rules.lapsesAt(mistrustedSince, rules.emptyMs(self), self.driftRate);
}

export function latest(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}

function abstainsUntil(context: StepContext, fold: Following): Instant {
  const { abstention, self } = context.state;
  if (abstention === undefined) return longAgo;
  const { since, atLeastMs } = abstention;
  const freeForTAt = after(vacantAt(context, fold), self.thresholdMs);
  const settledAt = after(since, context.rules.settleMs(self.thresholdMs));
  return Math.max(after(since, atLeastMs), Math.min(settledAt, freeForTAt)) as Instant;
}
