import type { LossReason } from '../contract/leadership.ts';
import { after, type Instant, longAgo, never } from '../time/instant.ts';
import { isGoing, isInCharge, isSucceeded, isUnheard, successorsNow } from './standing.ts';
import type { InducedReign } from './state.ts';
import { believedUntil, isBelieving, type Turn } from './turn.ts';

/** Lets pass what has passed, before anything else is looked at: proof that is seen later revives nothing (T3). */
export function expire(turn: Turn): void {
  const { state, now } = turn;
  if (state.provenSince !== undefined && now >= believedUntil(turn)) state.provenSince = undefined;
  if (isBelieving(state.tenure) && now >= state.tenure.until) fence(turn, 'expired');
}

/** Begins a term once this member is in charge, and was proved to be for long enough (I1, I5). */
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

/** When a term may begin, as things stand. */
export function beginsAt(turn: Turn): Instant {
  const { state, rules, now } = turn;
  if (isBelieving(state.tenure) || !isInCharge(turn) || now >= believedUntil(turn)) return never;
  if (state.provenSince === undefined) return rules.beginsUnheard() ? now : never;
  return after(state.provenSince, rules.graceMs(state.self));
}

/** Whether a beat proves anything now: to one in charge; and to one that goes by its own wish, until somebody else is. */
export function mayProve(turn: Turn): boolean {
  const { tenure } = turn.state;
  if (tenure.kind === 'follower' || tenure.kind === 'leading') return isInCharge(turn);
  return !tenure.frozen || turn.rules.provesWhileFrozen();
}

/** A proof that counts: of several, the latest does. */
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

/** Goes on towards the end of the term, as far as it has come. */
export function goOn(turn: Turn): void {
  const { tenure } = turn.state;
  if (tenure.kind === 'leading' && !isInCharge(turn)) part(turn, tenure);
  else if (tenure.kind === 'lingering') linger(turn, tenure);
  else if (tenure.kind === 'draining') thawOrFreeze(turn, tenure);
}

/** A drain cannot be taken back, but where the partition is this member's again, it need not hurry. */
function thawOrFreeze(turn: Turn, tenure: InducedReign & { readonly kind: 'draining' }): void {
  const frozen = mayResume(turn) ? false : tenure.frozen || isFollowed(turn);
  if (frozen !== tenure.frozen) turn.state.tenure = { ...tenure, frozen };
}

/** Whether the partition is this member's again. Who is to lead alone starts over instead (I5). */
function mayResume(turn: Turn): boolean {
  return turn.state.self.promise === 'continuous' && isInCharge(turn) && !isUnheard(turn);
}

/** Makes room for others at once: no beat proves anything from here on. */
export function yieldNow(turn: Turn): void {
  const { tenure } = turn.state;
  if (tenure.kind === 'leading') drain(turn, tenure, true);
}

/** The partition is this member's no more: it leads on until another does (I1), or makes room at once (I5). */
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

/** Whether somebody else is in charge, or, where nobody may lead beside another, may be. */
function isFollowed(turn: Turn): boolean {
  const { appointed, self } = turn.state;
  return isSucceeded(turn) || (self.promise === 'exclusive' && !appointed);
}

function drain({ state, outputs }: Turn, { token, until }: InducedReign, frozen: boolean): void {
  state.tenure = { kind: 'draining', token, until, frozen };
  outputs.push({ kind: 'drain' });
}

/** Belief ends in order. */
export function letGo({ state, outputs, now }: Turn): void {
  if (!isBelieving(state.tenure)) return;
  state.tenure = { kind: 'follower' };
  if (state.abstention) state.abstention = { ...state.abstention, since: now };
  outputs.push({ kind: 'released' });
}

/** Belief is over at once (H4). */
function fence({ state, outputs }: Turn, reason: LossReason): void {
  state.tenure = { kind: 'follower' };
  state.provedAt = longAgo;
  outputs.push({ kind: 'lost', reason });
}
