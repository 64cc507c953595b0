// When a candidate tries (N9), when it gives a contest up (N7), and how it succeeds one that is leaving (N6).
import { beginRound, giveBack } from './asking.ts';
import { takesPartAt } from './newcomer.ts';
import { isWeakLeader, leftToOthersUntil } from './ring.ts';
import { roundTripOf } from './round-trip.ts';
import type { Grant, Round } from './state.ts';
import { changeClaim, claimOf, grantOf, isCandidate, isEnding, isLentToAnother, isMuted, isVoter, type Turn } from './turn.ts';

const never = Number.POSITIVE_INFINITY;

/** Tries for the partition where this member should, goes on with a contest or gives it up; says when to look again. */
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

/** How long a contest goes on, as a share of the usual lease: beyond it, whoever wins has to renew at once. */
const patienceShare = 1 / 2;

/** When this candidate may begin a contest, as things stand. */
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

/** From when this member takes part at all. Who may not grant to itself yet would find others that may not either. */
function standsFrom(turn: Turn): number {
  const { state } = turn;
  if (!isCandidate(state) || !state.campaigning || isEnding(state)) return never;
  if (!isVoter(state) || !isMuted(turn)) return takesPartAt(turn);
  return state.learning === undefined ? Math.max(state.mutedUntil, takesPartAt(turn)) : never;
}

/** Whether another has the lease, as far as this member knows: by its own grant, by what a leader says of itself, or because it is kept for it. */
function isTaken(turn: Turn, grant: Grant): boolean {
  return isLentToAnother(turn, grant) || isLedByAnother(turn, grant) || isKeptForAnother(turn, grant);
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

/** Whether whoever has the lease is about to release it, to anyone or to this member: then requests may wait for that at the voters. */
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

/** Whether this member takes part no more. */
function isOut({ state, now }: Turn, partition: number): boolean {
  return !state.campaigning || isEnding(state) || now < (state.claims[partition]?.abstainUntil ?? 0);
}

/** Whether a round has taken too long, or cannot reach a quorum before it has (N7). */
function isVain({ rules, state, now }: Turn, { refused, waitMs, giveUpAt }: Round): boolean {
  if (now >= giveUpAt) return true;
  return rules.isHopeless(state.electorate.quorums, refused) && now + waitMs > giveUpAt;
}

/** Long enough for a round, and for another one with a greater token (N16). */
function patienceMs({ state }: Turn): number {
  return Math.max(state.self.spacingMs * patienceShare, roundsOfContest * roundTripOf(state.roundTrip, state.self));
}

/** A contest has time for so many round trips. */
const roundsOfContest = 3;

function nextAt(turn: Turn, partition: number, isWaiting: boolean): number {
  const { round } = claimOf(turn, partition);
  if (round === undefined) return never;
  return isWaiting ? round.retryAt : Math.min(round.retryAt, round.giveUpAt);
}

/** A contest came to nothing: what was granted is given back, and the next in the ring may try for a while (N7, N9). */
function fail(turn: Turn, partition: number, { ask, waitMs }: Round): void {
  const { rules, state, now } = turn;
  const claim = changeClaim(turn, partition);
  const blockedMs = Math.min(waitMs, state.self.leaseMsMax);
  claim.failures += 1;
  claim.yieldUntil = now + Math.max(rules.yieldMs(ask.leaseMs, state.self, claim.failures), blockedMs);
  claim.isUrged = false;
  turn.isRingStale = true;
  giveBack(turn, partition);
}
