// Renews the lease while this member leads (N10), and ends a term in order: first the work drains,
// then belief ends, then the lease is released (H2, N5, N6). Part of the machine in `step.ts`.

import { claimPartition } from './claiming.ts';
import type { Believing } from './lease.ts';
import { endTerm, fence } from './lease-state.ts';
import { roundTripOf } from './round-trip.ts';
import { beginRound, giveBack } from './rounds.ts';
import { memberWithFewestLeases } from './sharing.ts';
import { changeClaim, claimOf, isBelieving, isEnding, type StepContext } from './step-context.ts';

/**
 * Does what is due for a partition, whether this member leads it or not. Returns when to call it
 * again. `renews`: a renewal is due for some partition.
 */
export function tend(context: StepContext, partition: number, renews: boolean): number {
  const { leaseState } = claimOf(context, partition);
  if (!isBelieving(leaseState)) return claimPartition(context, partition);
  if (leaseState.kind === 'leading' && shouldEnd(context, partition))
    return revoke(context, partition, leaseState);
  if (mayRelease(context, partition, leaseState)) {
    release(context, partition);
    return claimPartition(context, partition);
  }
  renew(context, partition, leaseState, renews);
  return holdsUntil(context, partition, leaseState);
}

/** Whether a renewal of this partition is due. */
export function isRenewalDue(context: StepContext, partition: number): boolean {
  const { leaseState, round, renewAt } = claimOf(context, partition);
  return isBelieving(leaseState) && round === undefined && context.now >= renewAt;
}

function renew(
  context: StepContext,
  partition: number,
  { token }: Believing,
  renews: boolean,
): void {
  const { round } = claimOf(context, partition);
  const isDue = round === undefined ? renews : context.now >= round.retryAt;
  if (isDue) beginRound(context, partition, token, Number.POSITIVE_INFINITY);
}

function holdsUntil(context: StepContext, partition: number, { deadline }: Believing): number {
  const { round, renewAt, leaseState } = claimOf(context, partition);
  const { rules, moment, now } = context;
  const endsAt = now + (deadline - moment.now);
  const nextAt = round === undefined ? renewAt : round.retryAt;
  if (leaseState.kind !== 'revoking' || !leaseState.hasDrained) return Math.min(endsAt, nextAt);
  const mayAt = rules.mayRelease(moment.now, leaseState.promisedUntil)
    ? leaseState.announcedBy
    : now + (leaseState.promisedUntil - moment.now);
  return Math.min(endsAt, nextAt, mayAt);
}

function shouldEnd({ state, now }: StepContext, partition: number): boolean {
  const claim = state.claims[partition];
  return !state.campaigning || isEnding(state) || (claim !== undefined && now < claim.abstainUntil);
}

/**
 * Begins the end of the term: asks the host to drain, and informs the members, so that a successor
 * may send its request meanwhile.
 */
function revoke(context: StepContext, partition: number, leaseState: Believing): number {
  const { state, now, outputs } = context;
  const announcedBy = now + 2 * roundTripOf(state.roundTrip, state.self);
  const revoking: Believing = {
    ...leaseState,
    kind: 'revoking',
    announcedBy,
    successor: successorOf(context, partition),
  };
  changeClaim(context, partition).leaseState = revoking;
  outputs.push({ kind: 'drain', partition, token: leaseState.token });
  beginRound(context, partition, leaseState.token, Number.POSITIVE_INFINITY);
  return holdsUntil(context, partition, revoking);
}

/**
 * The index of the successor: the member that requested the partition, or the member that leads
 * least among the leaders; −1 lets the ring decide.
 */
function successorOf(context: StepContext, partition: number): number {
  if (isEnding(context.state)) return -1;
  const { requestedBy } = claimOf(context, partition);
  return requestedBy >= 0 ? requestedBy : memberWithFewestLeases(context);
}

/** The host's work has drained. */
export function noteDrained(context: StepContext, partition: number): void {
  const { leaseState } = claimOf(context, partition);
  if (leaseState.kind === 'revoking')
    changeClaim(context, partition).leaseState = { ...leaseState, hasDrained: true };
}

/**
 * Whether the term may be released: the members have had time to learn of it, and every deadline
 * promised to a verifier has passed (N12).
 */
function mayRelease(context: StepContext, partition: number, leaseState: Believing): boolean {
  if (leaseState.kind !== 'revoking' || !leaseState.hasDrained) return false;
  const isAnnounced =
    claimOf(context, partition).round === undefined || context.now >= leaseState.announcedBy;
  return isAnnounced && context.rules.mayRelease(context.moment.now, leaseState.promisedUntil);
}

/** Ends belief first, then releases the lease (N5). */
function release(context: StepContext, partition: number): void {
  endTerm(context, partition);
  context.outputs.push({ kind: 'released', partition });
  giveBack(context, partition);
}

/**
 * The host has ended the term. Releases the lease, or lets it expire, which gives the work another
 * δ to notice (H3).
 */
export function noteFenced(context: StepContext, partition: number, lapse: boolean): void {
  const { leaseState } = claimOf(context, partition);
  if (!isBelieving(leaseState)) return;
  endTerm(context, partition);
  const claim = changeClaim(context, partition);
  if (lapse) claim.lapseUntil = context.now + context.state.self.leaseMsMax;
  claim.abstainUntil = Math.max(claim.abstainUntil, claim.lapseUntil);
  if (!lapse && context.rules.mayRelease(context.moment.now, leaseState.promisedUntil))
    giveBack(context, partition);
}

/**
 * Ends an expired term before any other input is processed, so that late proof cannot revive it
 * (T3).
 */
export function expire(context: StepContext, partition: number): void {
  const { leaseState } = claimOf(context, partition);
  if (!isBelieving(leaseState) || context.moment.now < leaseState.deadline) return;
  fence(context, partition, 'expired');
  if (context.rules.mayRelease(context.moment.now, leaseState.promisedUntil))
    giveBack(context, partition);
}
