// Spreads partitions over the members. A member that leads fewer than another requests some, until
// no member leads two more than another. So a member that joins or returns gets its share, and as
// few partitions as possible move. Requests prove and decide nothing: the lease moves by drain and
// release as always, and the leader may ignore the request.
import { includes, only } from './members.ts';
import type { LeaseRequest, Sender } from './message.ts';
import { isMuted, mayTakePart } from './newcomer.ts';
import { placeInRing } from './ring-order.ts';
import {
  changeClaim,
  claimOf,
  grantOf,
  isBelieving,
  isCandidate,
  isEnding,
  isVoter,
  type StepContext,
  send,
} from './step-context.ts';

/**
 * The interval at which a member compares its number of partitions with others', as a share of the
 * usual lease.
 */
const lookShare = 1 / 4;
/**
 * The number of leases for which a new leader keeps a partition, and the earlier leader abstains
 * from it (L9).
 */
const settleShare = 2;

/** By index: the number of partitions that each member leads, to this member's knowledge. */
function leaseCounts(context: StepContext): number[] {
  const { electorate, self } = context.state;
  const counts = electorate.names.map(() => 0);
  for (let partition = 0; partition < self.partitions; partition += 1) {
    const bearer = holderOrSuccessorOf(context, partition);
    if (bearer >= 0) counts[bearer] = (counts[bearer] ?? 0) + 1;
  }
  return counts;
}

/** The index of the member that leads the partition or is its named successor; −1 for none. */
function holderOrSuccessorOf(context: StepContext, partition: number): number {
  const { leaseState } = claimOf(context, partition);
  if (leaseState.kind === 'revoking') return leaseState.successor;
  const { isLeaving, successor } = grantOf(context, partition);
  return isLeaving && leaseState.kind === 'follower' ? successor : leaderOf(context, partition);
}

/** The index of the partition's leader, to this member's knowledge; −1 for none. */
function leaderOf(context: StepContext, partition: number): number {
  const { electorate, index } = context.state;
  if (claimOf(context, partition).leaseState.kind !== 'follower') return index;
  const { leader, leaderUntil } = grantOf(context, partition);
  return leader === undefined || context.now >= leaderUntil
    ? -1
    : electorate.names.indexOf(leader.member);
}

/**
 * The index of the other member that leads the fewest partitions, of those that lead any; −1 for
 * none.
 */
export function memberWithFewestLeases(context: StepContext): number {
  const { index, electorate } = context.state;
  const counts = leaseCounts(context);
  let least = -1;
  counts.forEach((count, other) => {
    if (other === index || count === 0 || !includes(electorate.candidates, other)) return;
    if (least < 0 || count < (counts[least] ?? 0)) least = other;
  });
  return least;
}

/** Requests partitions if this member leads fewer than its share. Returns when to call it again. */
export function seekShare(context: StepContext): number {
  const { state, now } = context;
  if (!isCandidate(state) || !state.campaigning || isEnding(state)) return Number.POSITIVE_INFINITY;
  if (now < state.shareAt) return state.shareAt;
  state.shareAt = now + lookShare * state.self.spacingMs * (1 + state.self.jitter);
  // A partition that is released for a member that may not take it yet would have no leader
  // meanwhile.
  if (!mayTakePart(context) || (isVoter(state) && isMuted(context))) return state.shareAt;
  const counts = leaseCounts(context);
  const leads = counts[state.index] ?? 0;
  const richest = counts.reduce(
    (best, count, other) => (count > (counts[best] ?? 0) ? other : best),
    state.index,
  );
  const theirs = counts[richest] ?? 0;
  if (!context.rules.mayTake(leads, theirs)) return state.shareAt;
  if (!requestShare(context, counts))
    requestLeases(
      context,
      richest,
      leads,
      Math.max(1, Math.floor((theirs - leads) / counts.length)),
    );
  return state.shareAt;
}

/**
 * Requests the rest of an even share at once from all members that lead more than one. Returns
 * whether it has requested any. If it sent one request after another, those members would send
 * requests to each other meanwhile. While members are away, an even share among all is too small a
 * request.
 */
function requestShare(context: StepContext, counts: readonly number[]): boolean {
  const { index, self } = context.state;
  const share = Math.floor(self.partitions / counts.length);
  const before = counts[index] ?? 0;
  let leads = before;
  for (const [other, theirs] of [...counts.entries()].sort(([, a], [, b]) => b - a)) {
    const count = Math.min(share - leads, theirs - share);
    if (count <= 0) continue;
    requestLeases(context, other, leads, count);
    leads += count;
  }
  return leads > before;
}

/**
 * Requests that number of partitions from a member. Each request counts the earlier ones as led
 * already, in addition to `leads`.
 */
function requestLeases(context: StepContext, other: number, leads: number, count: number): void {
  for (const [taken, partition] of preferred(context, other).slice(0, count).entries())
    send(context, only(other), { kind: 'lease-request', partition, leads: leads + taken });
}

/**
 * The partitions of that leader that may be requested, first those in whose ring this member comes
 * first.
 */
function preferred(context: StepContext, leader: number): readonly number[] {
  const { self, index, electorate, claims } = context.state;
  const place = (partition: number): number =>
    placeInRing(index, partition, electorate.names.length);
  const open: number[] = [];
  for (let partition = 0; partition < self.partitions; partition += 1) {
    const mayRequest =
      !grantOf(context, partition).isLeaving &&
      context.now >= (claims[partition]?.abstainUntil ?? 0);
    if (mayRequest && leaderOf(context, partition) === leader) open.push(partition);
  }
  return open.sort((a, b) => place(a) - place(b));
}

/**
 * Another member leads fewer partitions and requests this one. Gives it up in order if that is true
 * and the term is old enough.
 */
export function receiveLeaseRequest(
  context: StepContext,
  _from: Sender,
  index: number,
  { partition, leads }: LeaseRequest,
): void {
  const { rules, state, now } = context;
  const { leaseState } = claimOf(context, partition);
  if (leaseState.kind !== 'leading' || !includes(state.electorate.candidates, index)) return;
  const settledAt = leaseState.since + settleShare * state.self.spacingMs;
  if (now < settledAt || !rules.mayTake(leads, leaseCounts(context)[state.index] ?? 0)) return;
  changeClaim(context, partition).requestedBy = index;
  giveUp(context, partition, 0);
}

/**
 * Gives the partition up: abstains from now on, and, if this member leads it, for the same time
 * after the end of the term (L9).
 */
export function giveUp(context: StepContext, partition: number, atLeastMs: number): void {
  const { state, now } = context;
  const claim = changeClaim(context, partition);
  const settleMs = settleShare * state.self.spacingMs;
  claim.abstainUntil = Math.max(claim.abstainUntil, now + Math.max(atLeastMs, settleMs));
  if (isBelieving(claim.leaseState)) claim.abstainMs = settleMs;
}
