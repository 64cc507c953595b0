// Finds the leader of a partition for the application (N11), and verifies with a quorum that it
// still leads (N12).

import { only } from './members.ts';
import { type Remainder, type Sender, senderOf, type Verify } from './message.ts';
import type { Seeker } from './state.ts';
import {
  changeClaim,
  claimOf,
  grantOf,
  isBelieving,
  isCandidate,
  isEnding,
  isLentToAnother,
  reply,
  type StepContext,
  send,
} from './step-context.ts';

/**
 * The limit of pending queries of either kind. A new verification replaces the oldest one; a new
 * search is refused.
 */
const pendingMax = 64;

/**
 * Asks a member whether it leads. The sending time of the query bounds the validity of the answer.
 */
export function verify(context: StepContext, partition: number, member: string, id: number): void {
  const { state, now } = context;
  const index = state.electorate.names.indexOf(member);
  const query = { id, partition, member, startedAt: now };
  state.queries = [...state.queries.slice(1 - pendingMax), query];
  if (index >= 0) send(context, only(index), { kind: 'verify', partition, id });
}

/**
 * Answers a verification and keeps the promise that the answer makes (N12). A member that is about
 * to end its term promises nothing further.
 */
export function receiveVerify(context: StepContext, from: Sender, { partition, id }: Verify): void {
  const { rules, state, moment } = context;
  const { leaseState } = claimOf(context, partition);
  if (!isBelieving(leaseState))
    return reply(context, from, { kind: 'remainder', partition, id, remainderMs: 0 });
  const until = leaseState.kind === 'leading' ? leaseState.deadline : leaseState.promisedUntil;
  if (until > leaseState.promisedUntil)
    changeClaim(context, partition).leaseState = { ...leaseState, promisedUntil: until };
  const remainderMs = rules.remainderMs(Math.max(0, until - moment.now), state.self);
  reply(context, from, { kind: 'remainder', partition, id, remainderMs });
}

/** Receives the answer to a verification. */
export function receiveRemainder(
  { state, outputs }: StepContext,
  from: Sender,
  { partition, id, remainderMs }: Remainder,
): void {
  const query = state.queries.find(
    (one) => one.id === id && one.partition === partition && one.member === from.member,
  );
  if (query === undefined) return;
  state.queries = state.queries.filter((one) => one !== query);
  outputs.push({
    kind: 'verified',
    id,
    verdict: { partition, leader: senderOf(from), startedAt: query.startedAt, remainderMs },
  });
}

/**
 * Finds the leader for the host: answers at once if it is known. Otherwise this member tries to
 * lead, or the search waits.
 */
export function find(context: StepContext, partition: number, id: number, timeoutMs: number): void {
  const { state, now, outputs } = context;
  if (state.seekers.length >= pendingMax) {
    outputs.push({ kind: 'found', id, leader: undefined });
    return;
  }
  state.seekers = [...state.seekers, { id, partition, until: now + timeoutMs }];
  const isFree =
    isCandidate(state) &&
    state.campaigning &&
    !isEnding(state) &&
    leaderOf(context, partition) === undefined;
  if (isFree) changeClaim(context, partition).isUrged = true;
}

/**
 * Answers the searches that have an answer or are out of time. Returns when the next one is out of
 * time.
 */
export function answerSeekers(context: StepContext): number {
  const { state, now } = context;
  if (state.seekers.length === 0) return Number.POSITIVE_INFINITY;
  state.seekers = state.seekers.filter((seeker) => !answer(context, seeker, now));
  return state.seekers.reduce(
    (first, { until }) => Math.min(first, until),
    Number.POSITIVE_INFINITY,
  );
}

function answer(context: StepContext, { id, partition, until }: Seeker, now: number): boolean {
  const leader = leaderOf(context, partition);
  if (leader === undefined && now < until) return false;
  context.outputs.push({ kind: 'found', id, leader });
  return true;
}

/**
 * The leader of the partition, to this member's knowledge: itself, the member that announced
 * itself, or the holder of this voter's grant.
 */
function leaderOf(context: StepContext, partition: number): Sender | undefined {
  const { state, now } = context;
  if (isBelieving(claimOf(context, partition).leaseState))
    return { member: state.self.member, incarnation: state.self.incarnation };
  const grant = grantOf(context, partition);
  if (grant.leader !== undefined && now < grant.leaderUntil) return grant.leader;
  return isLentToAnother(context, grant) ? grant.holder : undefined;
}

/**
 * Notifies the host if the leader has changed. Returns when a leader without further announcements
 * counts as gone.
 */
export function emitLeaderChange(context: StepContext, partition: number): number {
  const { state, outputs, now } = context;
  const claim = claimOf(context, partition);
  const { leader, leaderUntil } = grantOf(context, partition);
  const { member, incarnation } = state.self;
  const isSelf = isBelieving(claim.leaseState);
  const others =
    leader !== undefined && leader.incarnation !== incarnation && now < leaderUntil
      ? leader
      : undefined;
  const isSelfReported =
    isSelf &&
    claim.lastLeader?.incarnation === incarnation &&
    claim.lastLeader.token === claim.leaseState.token;
  const next =
    isSelf && isBelieving(claim.leaseState)
      ? isSelfReported
        ? claim.lastLeader
        : { member, incarnation, token: claim.leaseState.token }
      : others;
  if (next !== claim.lastLeader) {
    changeClaim(context, partition).lastLeader = next;
    outputs.push({ kind: 'leader', partition, leader: next });
  }
  return others === undefined || isSelf ? Number.POSITIVE_INFINITY : leaderUntil;
}
