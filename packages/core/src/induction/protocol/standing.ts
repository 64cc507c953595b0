// Decides whether this member is in charge of the partition, from the coordinator's decision and
// the beats of its successor.
import { after, type Instant, longAgo, never } from '../../time/instant.ts';
import type { Standing } from '../beat.ts';
import type { Successor } from './state.ts';
import { earliest, isBelieving, lapsesAt, type Turn } from './step-context.ts';

/** Returns whether the partition is assigned to this member, and it wants to lead. */
export function isInCharge(turn: Turn): boolean {
  const { appointed, generation, self } = turn.state;
  const isKnown = generation !== undefined || !self.numbered;
  return appointed && isKnown && !isGoing(turn) && !isSucceeded(turn);
}

/** Returns whether another member was put in charge after this one. */
export function isSucceeded(turn: Turn): boolean {
  return turn.state.successors.length > 0 && successorsNow(turn).length > 0;
}

/**
 * Returns the members in charge after this one whose beats arrived recently. A successor that is
 * silent for T no longer counts.
 */
export function successorsNow(turn: Turn): readonly Successor[] {
  return turn.state.successors.filter(({ standing, heardAt }) => isOwner(standing) && turn.now < lapsesAt(turn, heardAt));
}

/** Returns when the first of them will have been silent for T; `never` if there are none. */
export function unsucceededAt(turn: Turn): Instant {
  return earliest(never, ...successorsNow(turn).map(({ heardAt }) => lapsesAt(turn, heardAt)));
}

/** Returns whether a beat of that standing means that its sender is in charge. */
export function isOwner(standing: Standing): boolean {
  return standing === 'assigned' || standing === 'leading';
}

/**
 * Returns whether no member can have read a beat of this one for T. Its own beats do not return,
 * although those of other members may keep it leading.
 */
export function isUnheard({ state, rules, now }: Turn): boolean {
  return state.self.beats === 'all' && now >= rules.believeUntil(state.heardAt, state.self);
}

/** Returns whether this member leaves, or stays away, voluntarily. */
export function isGoing(turn: Turn): boolean {
  return !turn.state.campaigning || abstains(turn);
}

/** Returns whether this member gave up the partition and still does not lead it (L9). */
export function abstains(turn: Turn): boolean {
  return turn.now < contendsAt(turn);
}

/**
 * Returns when the abstention ends: after 2T, or after T without a leader, but not before its
 * minimum.
 */
export function contendsAt({ state }: Turn): Instant {
  const { abstention, leader, self, tenure } = state;
  if (abstention === undefined) return longAgo;
  if (isBelieving(tenure)) return never;
  const settled = after(abstention.since, 2 * self.thresholdMs);
  const unledSince = Math.max(abstention.since, leader?.leads ? leader.heardAt : longAgo) as Instant;
  const othersHadTheirChance = after(unledSince, self.thresholdMs);
  return Math.max(after(abstention.since, abstention.atLeastMs), Math.min(settled, othersHadTheirChance)) as Instant;
}

/**
 * Makes this member abstain from the partition from now on, at least until an earlier abstention
 * would have ended.
 */
export function abstain({ state, now }: Turn, atLeastMs: number): void {
  const { since, atLeastMs: before } = state.abstention ?? { since: now, atLeastMs: 0 };
  state.abstention = { since: now, atLeastMs: Math.max(atLeastMs, after(since, before) - now) };
}
