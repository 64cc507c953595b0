// Whether this member is in charge of the partition: by the coordinator's word, as far as its successor's beats leave it standing.
import { after, type Instant, longAgo, never } from '../time/instant.ts';
import type { Standing } from './beat.ts';
import type { Successor } from './state.ts';
import { earliest, isBelieving, lapsesAt, type Turn } from './turn.ts';

/** Whether the partition is this member's now, and it wants it. */
export function isInCharge(turn: Turn): boolean {
  const { appointed, generation, self } = turn.state;
  const isKnown = generation !== undefined || !self.numbered;
  return appointed && isKnown && !isGoing(turn) && !isSucceeded(turn);
}

/** Whether somebody was put in charge after this member. */
export function isSucceeded(turn: Turn): boolean {
  return turn.state.successors.length > 0 && successorsNow(turn).length > 0;
}

/** Those in charge after this member that were heard lately. Whoever falls silent for T stands in nobody's way. */
export function successorsNow(turn: Turn): readonly Successor[] {
  return turn.state.successors.filter(({ standing, heardAt }) => isOwner(standing) && turn.now < lapsesAt(turn, heardAt));
}

/** When the first of them may fall silent for T; never, where there is none. */
export function unsucceededAt(turn: Turn): Instant {
  return earliest(never, ...successorsNow(turn).map(({ heardAt }) => lapsesAt(turn, heardAt)));
}

/** Whether a beat of that standing says that its sender is in charge. */
export function isOwner(standing: Standing): boolean {
  return standing === 'assigned' || standing === 'leading';
}

/** Whether nobody can have heard of this member for T: its own beats do not come back, others' may keep it leading. */
export function isUnheard({ state, rules, now }: Turn): boolean {
  return state.self.beats === 'all' && now >= rules.believeUntil(state.heardAt, state.self);
}

/** Whether this member goes, or stays away, by its own wish. */
export function isGoing(turn: Turn): boolean {
  return !turn.state.campaigning || abstains(turn);
}

/** Whether this member gave the partition up, and leaves it alone still (L9). */
export function abstains(turn: Turn): boolean {
  return turn.now < contendsAt(turn);
}

/** When it stops leaving it alone: after 2T, or T of nobody leading; and as long as it was to do so at least. */
export function contendsAt({ state }: Turn): Instant {
  const { abstention, leader, self, tenure } = state;
  if (abstention === undefined) return longAgo;
  if (isBelieving(tenure)) return never;
  const settled = after(abstention.since, 2 * self.thresholdMs);
  const unledSince = Math.max(abstention.since, leader?.leads ? leader.heardAt : longAgo) as Instant;
  const othersHadTheirChance = after(unledSince, self.thresholdMs);
  return Math.max(after(abstention.since, abstention.atLeastMs), Math.min(settled, othersHadTheirChance)) as Instant;
}

/** Leaves the partition alone from now on, at least as long as it was going to anyway. */
export function abstain({ state, now }: Turn, atLeastMs: number): void {
  const { since, atLeastMs: before } = state.abstention ?? { since: now, atLeastMs: 0 };
  state.abstention = { since: now, atLeastMs: Math.max(atLeastMs, after(since, before) - now) };
}
