// The invariants of Scuttlebutt, and its liveness counters. The judge sees all clocks and states.
import type { TermEnd } from '../kernel/host.ts';
import {
  doubled,
  judgeToken,
  judgeWork,
  newCommonJudge,
  newRecord,
  noteLeading,
  previousLeader,
  recordOf,
  termOf,
  violation,
} from '../kernel/judge.ts';
import { noteEnded } from '../kernel/led-time.ts';
import { there } from '../kernel/random.ts';
import type { HostedPartition } from '../kernel/world.ts';
import { electionShare } from './scenario.ts';
import {
  type CastVote,
  type GossipJudge,
  memberNode,
  type Node,
  ownClock,
  type World,
} from './world.ts';

export function newGossipJudge(voters: number, partitions: number): GossipJudge {
  const each = Array.from({ length: partitions });
  return {
    ...newCommonJudge(),
    handovers: 0,
    slowHandovers: 0,
    records: each.map(() => ({ ...newRecord(), releasedAt: undefined })),
    votes: Array.from({ length: voters }, () => each.map(() => [])),
  };
}

/** Checks every invariant that a proof of leadership can break. */
export function judgeProof(
  world: World,
  node: Node,
  { partition, term, until }: HostedPartition,
  isNew: boolean,
): void {
  for (const other of world.nodes) {
    if (other === node || !other.alive) continue;
    if (other.hosted[partition]?.leads()) doubled(world, node, partition, other);
    const lapseUntil = other.lapsing[partition] ?? Number.NEGATIVE_INFINITY;
    if (other.clock.now() < lapseUntil)
      violation(world, 'H3', node, partition, `leads while a term of ${other.incarnation} lapses`);
  }
  if (isNew) {
    judgeToken(world, node, partition, term.token, 'T1');
    judgeWork(world, node, partition);
    noteTerm(world, node, partition);
  }
  noteLeading(world, node, partition, until);
}

/** A hand-over takes a resignation, a vote and perhaps a claim, in renewals of votes. */
const handoverRenewals = 2;

/** Counts unjustified changes of leader, and slow hand-overs. */
function noteTerm(world: World, node: Node, partition: number): void {
  const { judge, now, scenario } = world;
  const record = recordOf(world, partition);
  const before = previousLeader(world, partition);
  const isWell =
    before !== undefined && now > before.troubledUntil && !termOf(before, partition).givenUp;
  if (before !== node && isWell) judge.needlessMoves += 1;
  if (record.releasedAt !== undefined) {
    judge.handovers += 1;
    if (now - record.releasedAt > handoverRenewals * electionShare * scenario.leaseMs)
      judge.slowHandovers += 1;
  }
  record.releasedAt = undefined;
  record.leader = node.incarnation;
}

/** Notes the end of a term. */
export function noteEnd(
  world: World,
  node: Node,
  { partition, until }: HostedPartition,
  { wasLeading, loss }: TermEnd,
): void {
  if (loss === 'drain-timed-out') node.lapsing[partition] = until;
  if (!wasLeading) return;
  const record = recordOf(world, partition);
  noteEnded(record, world.now);
  if (loss === 'released') record.releasedAt = world.now;
}

/** Counts a proof that expired although no fault affected its holder. */
export function noteGap({ judge, now }: World, node: Node): void {
  if (now > node.troubledUntil) judge.renewalGaps += 1;
}

/**
 * Checks a vote that a voter publishes: no earlier vote of it for another life may count any more,
 * neither now nor later (S4, S5).
 */
export function judgeVotes(world: World, node: Node): void {
  const { vote } = node.state.election.declaration;
  vote?.supports.forEach((support, partition) => {
    if (support !== undefined) judgeVote(world, node, partition, support);
  });
}

function judgeVote(world: World, node: Node, partition: number, support: CastVote): void {
  const { member, generation } = support;
  const cast = there(world.judge.votes[node.index]?.[partition]);
  let bound = support.bound;
  for (const vote of cast.splice(0)) {
    const isSame = vote.member === member && vote.generation === generation;
    if (isSame) bound = Math.max(bound, vote.bound);
    else if (mayCount(world, vote, partition)) {
      const what = `supports ${member} while its vote for ${vote.member} may count`;
      violation(world, 'S4', node, partition, what);
    }
  }
  cast.push({ member, generation, bound });
}

/** Whether a vote can still support a belief, at this moment or later. */
function mayCount(
  world: World,
  { member, generation, bound }: CastVote,
  partition: number,
): boolean {
  const favorite = memberNode(world, member);
  const { state, rules, config, alive } = favorite;
  const support = { member, generation, bound, token: 0n, above: 0n };
  if (!alive || !rules.isForLife(support, state.election.generation)) return false;
  const until = rules.believeUntil(bound, config.thresholdMs, config.driftRate);
  const horizon = state.election.seats[partition]?.horizon ?? Number.POSITIVE_INFINITY;
  const now = ownClock(favorite);
  // A bound that is ahead of the clock counts once the clock has reached it.
  return now < until && rules.counts(bound, Math.max(now, bound), horizon);
}
