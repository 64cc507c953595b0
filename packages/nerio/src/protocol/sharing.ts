// Spreads partitions over the members. A member that leads fewer than another requests some, until
// no member leads two more than another. So a member that joins or returns gets its share, and as
// few partitions as possible move. Requests prove and decide nothing: the lease moves by drain and
// release as always, and the leader may ignore the request.
import { includes, only } from './members.ts';
import type { Sender, Want } from './message.ts';
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
  send,
  type Turn,
} from './turn.ts';

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
function burdens(turn: Turn): number[] {
  const { electorate, self } = turn.state;
  const counts = electorate.names.map(() => 0);
  for (let partition = 0; partition < self.partitions; partition += 1) {
    const bearer = bearerOf(turn, partition);
    if (bearer >= 0) counts[bearer] = (counts[bearer] ?? 0) + 1;
  }
  return counts;
}

/** The index of the member that leads the partition or is its named successor; −1 for none. */
function bearerOf(turn: Turn, partition: number): number {
  const { tenure } = claimOf(turn, partition);
  if (tenure.kind === 'revoking') return tenure.successor;
  const { isLeaving, successor } = grantOf(turn, partition);
  return isLeaving && tenure.kind === 'follower' ? successor : leaderOf(turn, partition);
}

/** The index of the partition's leader, to this member's knowledge; −1 for none. */
function leaderOf(turn: Turn, partition: number): number {
  const { electorate, index } = turn.state;
  if (claimOf(turn, partition).tenure.kind !== 'follower') return index;
  const { leader, leaderUntil } = grantOf(turn, partition);
  return leader === undefined || turn.now >= leaderUntil
    ? -1
    : electorate.names.indexOf(leader.member);
}

/**
 * The index of the other member that leads the fewest partitions, of those that lead any; −1 for
 * none.
 */
export function leastBurdened(turn: Turn): number {
  const { index, electorate } = turn.state;
  const counts = burdens(turn);
  let least = -1;
  counts.forEach((count, other) => {
    if (other === index || count === 0 || !includes(electorate.candidates, other)) return;
    if (least < 0 || count < (counts[least] ?? 0)) least = other;
  });
  return least;
}

/** Requests partitions if this member leads fewer than its share. Returns when to call it again. */
export function seekShare(turn: Turn): number {
  const { state, now } = turn;
  if (!isCandidate(state) || !state.campaigning || isEnding(state)) return Number.POSITIVE_INFINITY;
  if (now < state.shareAt) return state.shareAt;
  state.shareAt = now + lookShare * state.self.spacingMs * (1 + state.self.jitter);
  // A partition that is released for a member that may not take it yet would have no leader
  // meanwhile.
  if (!mayTakePart(turn) || (isVoter(state) && isMuted(turn))) return state.shareAt;
  const counts = burdens(turn);
  const leads = counts[state.index] ?? 0;
  const richest = counts.reduce(
    (best, count, other) => (count > (counts[best] ?? 0) ? other : best),
    state.index,
  );
  const theirs = counts[richest] ?? 0;
  if (!turn.rules.mayTake(leads, theirs)) return state.shareAt;
  if (!askForShare(turn, counts))
    askFor(turn, richest, leads, Math.max(1, Math.floor((theirs - leads) / counts.length)));
  return state.shareAt;
}

/**
 * Requests the rest of an even share at once from all members that lead more than one. Returns
 * whether it has requested any. If it asked them in turn, they would send requests to each other
 * meanwhile. While members are away, an even share among all is too small a request.
 */
function askForShare(turn: Turn, counts: readonly number[]): boolean {
  const { index, self } = turn.state;
  const share = Math.floor(self.partitions / counts.length);
  const before = counts[index] ?? 0;
  let leads = before;
  for (const [other, theirs] of [...counts.entries()].sort(([, a], [, b]) => b - a)) {
    const wanted = Math.min(share - leads, theirs - share);
    if (wanted <= 0) continue;
    askFor(turn, other, leads, wanted);
    leads += wanted;
  }
  return leads > before;
}

/**
 * Requests that number of partitions from a member. Each request counts the earlier ones as led
 * already, in addition to `leads`.
 */
function askFor(turn: Turn, other: number, leads: number, wanted: number): void {
  for (const [taken, partition] of preferred(turn, other).slice(0, wanted).entries())
    send(turn, only(other), { kind: 'want', partition, leads: leads + taken });
}

/**
 * The partitions of that leader that may be requested, first those in whose ring this member comes
 * first.
 */
function preferred(turn: Turn, leader: number): readonly number[] {
  const { self, index, electorate, claims } = turn.state;
  const place = (partition: number): number =>
    placeInRing(index, partition, electorate.names.length);
  const open: number[] = [];
  for (let partition = 0; partition < self.partitions; partition += 1) {
    const mayAsk =
      !grantOf(turn, partition).isLeaving && turn.now >= (claims[partition]?.abstainUntil ?? 0);
    if (mayAsk && leaderOf(turn, partition) === leader) open.push(partition);
  }
  return open.sort((a, b) => place(a) - place(b));
}

/**
 * Another member leads fewer partitions and requests this one. Gives it up in order if that is true
 * and the term is old enough.
 */
export function hearWant(
  turn: Turn,
  _from: Sender,
  index: number,
  { partition, leads }: Want,
): void {
  const { rules, state, now } = turn;
  const { tenure } = claimOf(turn, partition);
  if (tenure.kind !== 'leading' || !includes(state.electorate.candidates, index)) return;
  const settledAt = tenure.since + settleShare * state.self.spacingMs;
  if (now < settledAt || !rules.mayTake(leads, burdens(turn)[state.index] ?? 0)) return;
  changeClaim(turn, partition).wantedBy = index;
  giveUp(turn, partition, 0);
}

/**
 * Gives the partition up: abstains from now on, and, if this member leads it, for the same time
 * after the end of the term (L9).
 */
export function giveUp(turn: Turn, partition: number, atLeastMs: number): void {
  const { state, now } = turn;
  const claim = changeClaim(turn, partition);
  const settleMs = settleShare * state.self.spacingMs;
  claim.abstainUntil = Math.max(claim.abstainUntil, now + Math.max(atLeastMs, settleMs));
  if (isBelieving(claim.tenure)) claim.abstainMs = settleMs;
}
