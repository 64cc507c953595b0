// The leader renews its lease (N10). It ends a term in order: first the work drains, then belief
// ends, then the lease is released (H2, N5, N6).
import { beginRound, giveBack } from './asking.ts';
import { contend } from './contending.ts';
import type { Believing } from './lease.ts';
import { roundTripOf } from './round-trip.ts';
import { leastBurdened } from './sharing.ts';
import { endTerm, fence } from './tenure.ts';
import { changeClaim, claimOf, isBelieving, isEnding, type Turn } from './turn.ts';

/**
 * Does what is due for a partition, whether this member leads it or not. Returns when to call it
 * again. `renews`: a renewal is due for some partition.
 */
export function tend(turn: Turn, partition: number, renews: boolean): number {
  const { tenure } = claimOf(turn, partition);
  if (!isBelieving(tenure)) return contend(turn, partition);
  if (tenure.kind === 'leading' && shouldEnd(turn, partition))
    return revoke(turn, partition, tenure);
  if (mayRelease(turn, partition, tenure)) {
    release(turn, partition);
    return contend(turn, partition);
  }
  renew(turn, partition, tenure, renews);
  return holdsUntil(turn, partition, tenure);
}

/** Whether a renewal of this partition is due. */
export function isRenewalDue(turn: Turn, partition: number): boolean {
  const { tenure, round, renewAt } = claimOf(turn, partition);
  return isBelieving(tenure) && round === undefined && turn.now >= renewAt;
}

function renew(turn: Turn, partition: number, { token }: Believing, renews: boolean): void {
  const { round } = claimOf(turn, partition);
  const isDue = round === undefined ? renews : turn.now >= round.retryAt;
  if (isDue) beginRound(turn, partition, token, Number.POSITIVE_INFINITY);
}

function holdsUntil(turn: Turn, partition: number, { deadline }: Believing): number {
  const { round, renewAt, tenure } = claimOf(turn, partition);
  const { rules, moment, now } = turn;
  const endsAt = now + (deadline - moment.now);
  const nextAt = round === undefined ? renewAt : round.retryAt;
  if (tenure.kind !== 'revoking' || !tenure.hasDrained) return Math.min(endsAt, nextAt);
  const mayAt = rules.mayRelease(moment.now, tenure.promisedUntil)
    ? tenure.announcedBy
    : now + (tenure.promisedUntil - moment.now);
  return Math.min(endsAt, nextAt, mayAt);
}

function shouldEnd({ state, now }: Turn, partition: number): boolean {
  const claim = state.claims[partition];
  return !state.campaigning || isEnding(state) || (claim !== undefined && now < claim.abstainUntil);
}

/**
 * Begins the end of the term: asks the host to drain, and informs the members, so that a successor
 * may send its request meanwhile.
 */
function revoke(turn: Turn, partition: number, tenure: Believing): number {
  const { state, now, outputs } = turn;
  const announcedBy = now + 2 * roundTripOf(state.roundTrip, state.self);
  const revoking: Believing = {
    ...tenure,
    kind: 'revoking',
    announcedBy,
    successor: successorOf(turn, partition),
  };
  changeClaim(turn, partition).tenure = revoking;
  outputs.push({ kind: 'drain', partition, token: tenure.token });
  beginRound(turn, partition, tenure.token, Number.POSITIVE_INFINITY);
  return holdsUntil(turn, partition, revoking);
}

/**
 * The index of the successor: the member that requested the partition, or the member that leads
 * least among the leaders; −1 lets the ring decide.
 */
function successorOf(turn: Turn, partition: number): number {
  if (isEnding(turn.state)) return -1;
  const { wantedBy } = claimOf(turn, partition);
  return wantedBy >= 0 ? wantedBy : leastBurdened(turn);
}

/** The host's work has drained. */
export function noteDrained(turn: Turn, partition: number): void {
  const { tenure } = claimOf(turn, partition);
  if (tenure.kind === 'revoking')
    changeClaim(turn, partition).tenure = { ...tenure, hasDrained: true };
}

/**
 * Whether the term may be released: the members have had time to learn of it, and every deadline
 * promised to a verifier has passed (N12).
 */
function mayRelease(turn: Turn, partition: number, tenure: Believing): boolean {
  if (tenure.kind !== 'revoking' || !tenure.hasDrained) return false;
  const isAnnounced =
    claimOf(turn, partition).round === undefined || turn.now >= tenure.announcedBy;
  return isAnnounced && turn.rules.mayRelease(turn.moment.now, tenure.promisedUntil);
}

/** Ends belief first, then releases the lease (N5). */
function release(turn: Turn, partition: number): void {
  endTerm(turn, partition);
  turn.outputs.push({ kind: 'released', partition });
  giveBack(turn, partition);
}

/**
 * The host has ended the term. Releases the lease, or lets it expire, which gives the work another
 * δ to notice (H3).
 */
export function noteFenced(turn: Turn, partition: number, lapse: boolean): void {
  const { tenure } = claimOf(turn, partition);
  if (!isBelieving(tenure)) return;
  endTerm(turn, partition);
  const claim = changeClaim(turn, partition);
  if (lapse) claim.lapseUntil = turn.now + turn.state.self.leaseMsMax;
  claim.abstainUntil = Math.max(claim.abstainUntil, claim.lapseUntil);
  if (!lapse && turn.rules.mayRelease(turn.moment.now, tenure.promisedUntil))
    giveBack(turn, partition);
}

/**
 * Ends an expired term before any other input is processed, so that late proof cannot revive it
 * (T3).
 */
export function expire(turn: Turn, partition: number): void {
  const { tenure } = claimOf(turn, partition);
  if (!isBelieving(tenure) || turn.moment.now < tenure.deadline) return;
  fence(turn, partition, 'expired');
  if (turn.rules.mayRelease(turn.moment.now, tenure.promisedUntil)) giveBack(turn, partition);
}
