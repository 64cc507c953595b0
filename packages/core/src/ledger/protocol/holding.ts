import { after, type Instant, never } from '../../time/instant.ts';
import type { Want } from '../ledger.ts';
import { abstains, trustedAt } from './claiming.ts';
import { inEffect } from './fold.ts';
import type { Believing } from './state.ts';
import { isBelieving, isHeldHere, type Turn, write } from './step-context.ts';

/** Sends the next renewal once it is due (L8), also while work drains (H2). */
export function renew(turn: Turn, { token }: Believing): void {
  if (turn.now < turn.state.writeAt) return;
  write(turn, { kind: 'hold', token });
}

/** Starts the drain if there is a reason to end the term (L9). */
export function revoke(turn: Turn, tenure: Believing): void {
  if (tenure.kind !== 'leading' || !shouldEnd(turn)) return;
  turn.state.tenure = { ...tenure, kind: 'revoking' };
  turn.outputs.push({ kind: 'drain' });
  if (turn.rules.mayRelease(false)) release(turn);
}

/**
 * Ends the term, then writes the release (L6): to the preferred member if it sent a want recently
 * (L7), otherwise to any member.
 */
export function release(turn: Turn): void {
  const { state, rules } = turn;
  if (!isBelieving(state.tenure)) return;
  const { token } = state.tenure;
  if (state.abstention) state.abstention = { ...state.abstention, since: turn.now };
  state.tenure = rules.whileReleasing(state.tenure);
  if (!isBelieving(state.tenure)) turn.outputs.push({ kind: 'released' });
  writeRelease(turn, token);
}

/** Repeats a release whose outcome is unknown, or that a renewal overtook (L4). */
export function releaseAgain(turn: Turn, token: bigint): void {
  if (turn.now >= turn.state.writeAt) writeRelease(turn, token);
}

/**
 * Releases a lease of this member that it neither believes in nor wants, so that other members need
 * not wait until it lapses.
 */
export function letGo(turn: Turn): void {
  const { state } = turn;
  const unwanted = (!state.campaigning || abstains(turn)) && state.abstention?.lease !== 'lapse';
  const record = inEffect(state.fold);
  if (state.fold.kind !== 'following' || record === null || !unwanted || !isHeldHere(turn)) return;
  const until = after(state.fold.waits.arrivedAt, record.thresholdMs);
  if (turn.now >= until || turn.now < trustedAt(turn, state.fold.waits)) return;
  state.tenure = { kind: 'releasing', token: record.token, until };
  state.writeAt = turn.now;
  releaseAgain(turn, record.token);
}

function writeRelease(turn: Turn, token: bigint): void {
  const want = preferredWant(turn);
  if (want === undefined) return write(turn, { kind: 'release', token });
  const { id, incarnation, member } = want;
  const next = turn.rules.token(turn.state.seenToken, turn.wallMicros);
  write(turn, {
    kind: 'release',
    to: { incarnation, want: id, member },
    token: next,
    thresholdMs: turn.rules.delegatedMs(want, turn.state.self),
  });
}

/**
 * Returns when a partition that is placed elsewhere is released without a want. Only applies if the
 * ledger has no wants.
 */
export function moveUnaskedAt({ rules, state }: Turn): Instant {
  const { self, ranks, movedAt } = state;
  const preferred = ranks?.at(0);
  if (self.asks || preferred === undefined || preferred === self.incarnation) return never;
  return after(movedAt, rules.settleMs(self.thresholdMs));
}

function shouldEnd(turn: Turn): boolean {
  const { campaigning, self, movedAt } = turn.state;
  if (!campaigning || abstains(turn)) return true;
  if (!self.asks) return turn.now >= moveUnaskedAt(turn);
  return turn.now >= after(movedAt, turn.rules.settleMs(self.thresholdMs)) && preferredWant(turn) !== undefined;
}

/**
 * Returns the preferred member's want if it is another member and its want is recent enough to be
 * answered (L7).
 */
function preferredWant({ rules, state, now }: Turn): Want | undefined {
  const preferred = state.ranks?.at(0);
  if (preferred === state.self.incarnation) return undefined;
  const heard = state.heard.find(({ want }) => want.incarnation === preferred);
  if (heard === undefined || now >= after(heard.receivedAt, rules.wantMs(heard.want.thresholdMs).fresh)) return undefined;
  return heard.want;
}
