// When a candidate starts a contest (N9), when it abandons one (N7), and how it succeeds a leader
// that is leaving (N6).
import { beginRound, giveBack } from './asking.ts';
import type { Grant, Round } from './lease.ts';
import { isMuted, takesPartAt } from './newcomer.ts';
import { isWeakLeader, leftToOthersUntil } from './ring.ts';
import { roundTripOf } from './round-trip.ts';
import {
  changeClaim,
  claimOf,
  grantOf,
  isCandidate,
  isEnding,
  isLentToAnother,
  isVoter,
  type Turn,
} from './turn.ts';

const never = Number.POSITIVE_INFINITY;

/**
 * Starts, continues or abandons a contest for the partition, as required. Returns when to call it
 * again.
 */
export function contend(turn: Turn, partition: number): number {
  const { round } = claimOf(turn, partition);
  if (round !== undefined) return goOn(turn, partition, round);
  const dueAt = contendAt(turn, partition);
  if (turn.now < dueAt) return dueAt;
  const { token } = grantOf(turn, partition);
  const { ownToken } = claimOf(turn, partition);
  const proposed = turn.rules.token(token > ownToken ? token : ownToken, turn.moment.wallMicros);
  beginRound(turn, partition, proposed, turn.now + patienceMs(turn));
  return nextAt(turn, partition, waitsForRelease(turn, partition));
}

/**
 * The duration of a contest, as a share of the usual lease. A winner after a longer contest would
 * have to renew at once.
 */
const patienceShare = 1 / 2;

/** When this candidate may begin a contest, given its present state. */
function contendAt(turn: Turn, partition: number): number {
  const { yieldUntil, abstainUntil, isUrged } = claimOf(turn, partition);
  const grant = grantOf(turn, partition);
  const restsUntil = Math.max(yieldUntil, abstainUntil, standsFrom(turn));
  const isLent = isTaken(turn, grant);
  if (!turn.rules.mayStart(isLent) && !(isLent && mayQueue(turn, grant)))
    return isLent ? Math.max(takenUntil(turn, grant), restsUntil) : never;
  if (turn.now < restsUntil) return restsUntil;
  if (isUrged || grant.successor === turn.state.index) return turn.now;
  return isWeakLeader(turn, partition) ? leftToOthersUntil(turn, partition) : never;
}

/**
 * When this member starts to take part. A voter that may not grant yet waits, because other voters
 * probably may not either.
 */
function standsFrom(turn: Turn): number {
  const { state } = turn;
  if (!isCandidate(state) || !state.campaigning || isEnding(state)) return never;
  if (!isVoter(state) || !isMuted(turn)) return takesPartAt(turn);
  return state.learning === undefined ? Math.max(state.mutedUntil, takesPartAt(turn)) : never;
}

/**
 * Whether another member has the lease: by this voter's grant, by the leader's announcement, or
 * because the lease is reserved for that member.
 */
function isTaken(turn: Turn, grant: Grant): boolean {
  return (
    isLentToAnother(turn, grant) || isLedByAnother(turn, grant) || isKeptForAnother(turn, grant)
  );
}

function isKeptForAnother({ state, now }: Turn, { successor, keptUntil }: Grant): boolean {
  return now < keptUntil && successor !== state.index;
}

function isLedByAnother({ state, now }: Turn, { leader, leaderUntil }: Grant): boolean {
  return leader !== undefined && now < leaderUntil && leader.incarnation !== state.self.incarnation;
}

function takenUntil(turn: Turn, grant: Grant): number {
  return Math.max(
    isLentToAnother(turn, grant) ? grant.until : turn.now,
    isLedByAnother(turn, grant) ? grant.leaderUntil : turn.now,
    isKeptForAnother(turn, grant) ? grant.keptUntil : turn.now,
  );
}

/**
 * Whether the leader is about to release the lease to this member or to any: then requests may wait
 * for the release at the voters.
 */
function mayQueue({ rules, state }: Turn, { isLeaving, successor }: Grant): boolean {
  return rules.queues && isLeaving && (successor < 0 || successor === state.index);
}

function goOn(turn: Turn, partition: number, round: Round): number {
  const { now } = turn;
  const isWaiting = waitsForRelease(turn, partition);
  if (isOut(turn, partition) || (!isWaiting && isVain(turn, round))) {
    fail(turn, partition, round);
    return contendAt(turn, partition);
  }
  const giveUpAt = isWaiting ? now + patienceMs(turn) : round.giveUpAt;
  if (now >= round.retryAt) beginRound(turn, partition, round.ask.token, giveUpAt);
  return nextAt(turn, partition, isWaiting);
}

function waitsForRelease(turn: Turn, partition: number): boolean {
  const grant = grantOf(turn, partition);
  return mayQueue(turn, grant) && isTaken(turn, grant);
}

/** Whether this member no longer takes part in the contest. */
function isOut({ state, now }: Turn, partition: number): boolean {
  return (
    !state.campaigning || isEnding(state) || now < (state.claims[partition]?.abstainUntil ?? 0)
  );
}

/** Whether a round has taken too long, or cannot reach a quorum in time (N7). */
function isVain({ rules, state, now }: Turn, { refused, waitMs, giveUpAt }: Round): boolean {
  if (now >= giveUpAt) return true;
  return rules.isHopeless(state.electorate.quorums, refused) && now + waitMs > giveUpAt;
}

/** Long enough for one round and for another with a greater token (N16). */
function patienceMs({ state }: Turn): number {
  return Math.max(
    state.self.spacingMs * patienceShare,
    roundsOfContest * roundTripOf(state.roundTrip, state.self),
  );
}

/** The least duration of a contest, in round trips. */
const roundsOfContest = 3;

function nextAt(turn: Turn, partition: number, isWaiting: boolean): number {
  const { round } = claimOf(turn, partition);
  if (round === undefined) return never;
  return isWaiting ? round.retryAt : Math.min(round.retryAt, round.giveUpAt);
}

/**
 * The contest has failed: release the grants, and let the next member of the ring try for a while
 * (N7, N9).
 */
function fail(turn: Turn, partition: number, { ask, waitMs, granted, refused }: Round): void {
  const { rules, state, now, outputs } = turn;
  const claim = changeClaim(turn, partition);
  const blockedMs = Math.min(waitMs, state.self.leaseMsMax);
  claim.failures += 1;
  // The first contest may be too early for voters that have just started.
  if (claim.failures > 1 && !state.electorate.quorums.holds(granted | refused))
    outputs.push({ kind: 'unanswered', partition });
  claim.yieldUntil =
    now + Math.max(rules.yieldMs(ask.leaseMs, state.self, claim.failures), blockedMs);
  claim.isUrged = false;
  turn.isRingStale = true;
  giveBack(turn, partition);
}
