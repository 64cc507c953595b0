import { after, type Instant, longAgo, never } from '../time/instant.ts';
import type { Fold, Waits } from './fold.ts';
import type { Ranks } from './placement.ts';
import { holderOf, type LedgerRecord } from './record.ts';
import { isHeldHere, type Turn, write } from './turn.ts';

type Following = Fold & { readonly kind: 'following' };

/** Claims the partition once it may (L5) and should (L9); says when this member will claim next, as things stand. */
export function claim(turn: Turn): Instant {
  const dueAt = claimAt(turn);
  if (turn.now < dueAt) return dueAt;
  const { state, rules } = turn;
  state.abstention = undefined;
  const token = rules.token(state.seenToken, turn.wallMicros);
  write(turn, { kind: 'hold', token });
  return claimAt(turn);
}

function claimAt(turn: Turn): Instant {
  const { fold, writeAt } = turn.state;
  if (fold.kind !== 'following' || !mayContend(turn)) return never;
  return latest(latest(freeAt(turn, fold), contendAt(turn, fold)), writeAt);
}

/** When the partition is free for this member to claim. */
function freeAt(turn: Turn, fold: Following): Instant {
  const { ranks, self, partition } = turn.state;
  // A lease of our own that we do not believe in any more need not be waited for.
  if (isHeldHere(turn)) return ranks?.indexOf(self.incarnation) === -1 ? never : trustedAt(turn, fold.waits);
  const vacant = vacantAt(turn, fold);
  // Positions of stand-ins are worked out when they matter, and not with each renewal.
  if (turn.now < vacant) return vacant;
  if (ranks === undefined) return after(vacant, coldStartMs(turn, fold.effect) + turn.rules.unrankedMs(partition, self));
  const rank = rankOf(turn, ranks, fold);
  return rank < 0 ? never : after(vacant, standInMs(turn, fold.effect, rank));
}

/** How many may claim before this member (L9); -1 where it should not claim. Whoever held the lease last has let it go, and is not waited for. */
function rankOf({ state: { self } }: Turn, ranks: Ranks, { effect }: Following): number {
  const rank = ranks.indexOf(self.incarnation);
  const last = effect === null ? -1 : ranks.indexOf((holderOf(effect) ?? effect).incarnation);
  return last >= 0 && last < rank ? rank - 1 : rank;
}

/**
 * How much later than the preferred one a stand-in claims. What was released is news to each in its own time, and whoever should have
 * it is given that time (L9). What lapsed is not: the preferred one may be who died. Nothing in effect is waited for by each from
 * its own start on: whoever started a little later is given that time, or the first would claim everything and hand it over later.
 */
function standInMs(turn: Turn, effect: LedgerRecord | null, rank: number): number {
  const { rules, state } = turn;
  const { self } = state;
  const isReleased = effect !== null && holderOf(effect) === undefined;
  const headStartMs = isReleased && rank > 0 ? (self.newsSpreadMs ?? 0) : 0;
  const coldMs = rank > 0 ? coldStartMs(turn, effect) : 0;
  return headStartMs + coldMs + rules.staggerMs(rank, self);
}

/** How much longer nothing in effect is left alone by all but the preferred member. */
function coldStartMs({ rules, state }: Turn, effect: LedgerRecord | null): number {
  return effect === null ? rules.coldStartMs(state.self) : 0;
}

/** Whether this member takes part at all. */
export function mayContend({ state }: Turn): boolean {
  return state.campaigning && state.pin === 'agrees' && state.tenure.kind === 'follower';
}

/** Whether this member gave the partition up, and leaves it alone still (L9). */
export function abstains(turn: Turn): boolean {
  const { fold, abstention } = turn.state;
  if (abstention === undefined) return false;
  return fold.kind !== 'following' || turn.now < contendAt(turn, fold);
}

/** When everyone's wait for what is in effect is over (L5). */
export function vacantAt(turn: Turn, { effect, waits }: Pick<Following, 'effect' | 'waits'>): Instant {
  const { rules, state } = turn;
  const { self } = state;
  const { arrivedAt } = waits;
  const trusted = trustedAt(turn, waits);
  if (effect === null) return latest(trusted, rules.lapsesAt(arrivedAt, rules.emptyMs(self), self.driftRate));
  if (holderOf(effect) === undefined) return latest(trusted, arrivedAt);
  return latest(trusted, rules.lapsesAt(arrivedAt, effect.thresholdMs, self.driftRate));
}

/** When whoever led by a record that went missing has stopped believing (L11). */
export function trustedAt({ rules, state }: Pick<Turn, 'rules' | 'state'>, { mistrustedSince }: Waits): Instant {
  const { self } = state;
  return mistrustedSince === undefined ? longAgo : rules.lapsesAt(mistrustedSince, rules.emptyMs(self), self.driftRate);
}

export function latest(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}

function contendAt(turn: Turn, fold: Following): Instant {
  const { abstention, self } = turn.state;
  if (abstention === undefined) return longAgo;
  const { since, atLeastMs } = abstention;
  const othersHadTheirChance = after(vacantAt(turn, fold), self.thresholdMs);
  const settled = after(since, turn.rules.settleMs(self.thresholdMs));
  return Math.max(after(since, atLeastMs), Math.min(settled, othersHadTheirChance)) as Instant;
}
