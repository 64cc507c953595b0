// Decides when a member tries to become the leader of a partition (N9), when it gives up the
// attempt (N7), and how it succeeds a leader that is leaving (N6). Part of the machine in
// `step.ts`.

import type { Grant, Round } from './lease.ts';
import { isMuted, takesPartAt } from './newcomer.ts';
import { isWeakLeader, leftToOthersUntil } from './ring.ts';
import { roundTripOf } from './round-trip.ts';
import { beginRound, giveBack } from './rounds.ts';
import {
  changeClaim,
  claimOf,
  grantOf,
  isCandidate,
  isEnding,
  isLentToAnother,
  isVoter,
  type StepContext,
} from './step-context.ts';

const never = Number.POSITIVE_INFINITY;

/**
 * Starts, continues or abandons an election for the partition, as required. Returns when to call it
 * again.
 */
export function claimPartition(context: StepContext, partition: number): number {
  const { round } = claimOf(context, partition);
  if (round !== undefined) return goOn(context, partition, round);
  const dueAt = claimAt(context, partition);
  if (context.now < dueAt) return dueAt;
  const { token } = grantOf(context, partition);
  const { ownToken } = claimOf(context, partition);
  const proposed = context.rules.token(
    token > ownToken ? token : ownToken,
    context.moment.wallMicros,
  );
  beginRound(context, partition, proposed, context.now + timeoutMs(context));
  return nextAt(context, partition, waitsForRelease(context, partition));
}

/**
 * The duration of an election, as a share of the usual lease. A winner after a longer election
 * would have to renew at once.
 */
const timeoutShare = 1 / 2;

/** When this candidate may begin an election, given its present state. */
function claimAt(context: StepContext, partition: number): number {
  const { yieldUntil, abstainUntil, isUrged } = claimOf(context, partition);
  const grant = grantOf(context, partition);
  const restsUntil = Math.max(yieldUntil, abstainUntil, standsFrom(context));
  const isLent = isTaken(context, grant);
  if (!context.rules.mayStart(isLent) && !(isLent && mayQueue(context, grant)))
    return isLent ? Math.max(takenUntil(context, grant), restsUntil) : never;
  if (context.now < restsUntil) return restsUntil;
  if (isUrged || grant.successor === context.state.index) return context.now;
  return isWeakLeader(context, partition) ? leftToOthersUntil(context, partition) : never;
}

/**
 * When this member starts to take part. A voter that may not grant yet waits, because other voters
 * probably may not either.
 */
function standsFrom(context: StepContext): number {
  const { state } = context;
  if (!isCandidate(state) || !state.campaigning || isEnding(state)) return never;
  if (!isVoter(state) || !isMuted(context)) return takesPartAt(context);
  return state.learning === undefined ? Math.max(state.mutedUntil, takesPartAt(context)) : never;
}

/**
 * Whether another member has the lease: by this voter's grant, by the leader's announcement, or
 * because the lease is reserved for that member.
 */
function isTaken(context: StepContext, grant: Grant): boolean {
  return (
    isLentToAnother(context, grant) ||
    isLedByAnother(context, grant) ||
    isKeptForAnother(context, grant)
  );
}

function isKeptForAnother({ state, now }: StepContext, { successor, keptUntil }: Grant): boolean {
  return now < keptUntil && successor !== state.index;
}

function isLedByAnother({ state, now }: StepContext, { leader, leaderUntil }: Grant): boolean {
  return leader !== undefined && now < leaderUntil && leader.incarnation !== state.self.incarnation;
}

function takenUntil(context: StepContext, grant: Grant): number {
  return Math.max(
    isLentToAnother(context, grant) ? grant.until : context.now,
    isLedByAnother(context, grant) ? grant.leaderUntil : context.now,
    isKeptForAnother(context, grant) ? grant.keptUntil : context.now,
  );
}

/**
 * Whether the leader is about to release the lease to this member or to any: then requests may wait
 * for the release at the voters.
 */
function mayQueue({ rules, state }: StepContext, { isLeaving, successor }: Grant): boolean {
  return rules.queues && isLeaving && (successor < 0 || successor === state.index);
}

function goOn(context: StepContext, partition: number, round: Round): number {
  const { now } = context;
  const isWaiting = waitsForRelease(context, partition);
  if (isOut(context, partition) || (!isWaiting && isFutile(context, round))) {
    fail(context, partition, round);
    return claimAt(context, partition);
  }
  const giveUpAt = isWaiting ? now + timeoutMs(context) : round.giveUpAt;
  if (now >= round.retryAt) beginRound(context, partition, round.request.token, giveUpAt);
  return nextAt(context, partition, isWaiting);
}

function waitsForRelease(context: StepContext, partition: number): boolean {
  const grant = grantOf(context, partition);
  return mayQueue(context, grant) && isTaken(context, grant);
}

/** Whether this member no longer takes part in the election. */
function isOut({ state, now }: StepContext, partition: number): boolean {
  return (
    !state.campaigning || isEnding(state) || now < (state.claims[partition]?.abstainUntil ?? 0)
  );
}

/** Whether a round has taken too long, or cannot reach a quorum in time (N7). */
function isFutile(
  { rules, state, now }: StepContext,
  { refused, waitMs, giveUpAt }: Round,
): boolean {
  if (now >= giveUpAt) return true;
  return rules.isHopeless(state.electorate.quorums, refused) && now + waitMs > giveUpAt;
}

/** Long enough for one round and for another with a greater token (N16). */
function timeoutMs({ state }: StepContext): number {
  return Math.max(
    state.self.spacingMs * timeoutShare,
    roundsMin * roundTripOf(state.roundTrip, state.self),
  );
}

/** The least duration of an election, in round trips. */
const roundsMin = 3;

function nextAt(context: StepContext, partition: number, isWaiting: boolean): number {
  const { round } = claimOf(context, partition);
  if (round === undefined) return never;
  return isWaiting ? round.retryAt : Math.min(round.retryAt, round.giveUpAt);
}

/**
 * The election has failed: release the grants, and let the next member of the ring try for a while
 * (N7, N9).
 */
function fail(
  context: StepContext,
  partition: number,
  { request, waitMs, granted, refused }: Round,
): void {
  const { rules, state, now, outputs } = context;
  const claim = changeClaim(context, partition);
  const blockedMs = Math.min(waitMs, state.self.leaseMsMax);
  claim.failures += 1;
  // The first election may be too early for voters that have just started.
  if (claim.failures > 1 && !state.electorate.quorums.holds(granted | refused))
    outputs.push({ kind: 'unanswered', partition });
  claim.yieldUntil =
    now + Math.max(rules.yieldMs(request.leaseMs, state.self, claim.failures), blockedMs);
  claim.isUrged = false;
  context.isRingStale = true;
  giveBack(context, partition);
}
