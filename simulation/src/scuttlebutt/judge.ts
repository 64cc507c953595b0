// Checks at each event of a world of gossip that no rule is broken, and counts what its limits
// bound. The judge sees all clocks and states.
import type { TermEnd } from '../kernel/host.ts';
import {
  doubled,
  judgeToken,
  judgeWork,
  noteEnd,
  noteLeading,
  noteShared,
  noteSpread,
  noteTerm,
  termOf,
  violation,
} from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import type { HostedPartition } from '../kernel/world.ts';
import { electionShare } from './scenario.ts';
import { type CastVote, memberNode, type Node, ownClock, type World } from './world.ts';

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
    const { leaseMs } = world.scenario;
    noteTerm(world, node, partition, handoverRenewals * electionShare * leaseMs);
  }
  noteLeading(world, node, partition, until);
}

/** A hand-over takes a resignation, a vote and perhaps a claim, in renewals of votes. */
const handoverRenewals = 2;

/**
 * Checks a member that refuses to take part: it does not lead, and no leader counts a vote of
 * it (R4).
 */
export function judgeRefusal(world: World, node: Node): void {
  const { candidateStates, declaration } = node.state.election;
  candidateStates.forEach(({ term }, partition) => {
    if (term) violation(world, 'R4', node, partition, 'refuses to take part while it leads');
  });
  declaration.vote?.supports.forEach((support, partition) => {
    if (support === undefined) return;
    const { alive, hosted, state } = memberNode(world, support.member);
    const isSame = alive && state.election.generation === support.generation;
    if (isSame && hosted[partition]?.leads())
      violation(world, 'R4', node, partition, `refuses while ${support.member} counts its vote`);
  });
}

/** Notes the end of a term. A lease whose work did not drain in time lapses. */
export function noteOver(world: World, node: Node, hosted: HostedPartition, end: TermEnd): void {
  if (end.loss === 'drain-timed-out') node.lapsing[hosted.partition] = hosted.until;
  noteEnd(world, node, hosted, end);
}

/** Notes a term that drains: its member has resigned, or the partitions are shared. */
export function noteDrain(world: World, node: Node, partition: number): void {
  if (!termOf(node, partition).givenUp) noteShared(world, node, partition);
}

/** Checks whether the partitions are distributed evenly over the healthy members. */
export function judgeSpread(world: World): void {
  const { nodes, now } = world;
  const well = nodes.filter(
    ({ alive, campaigning, troubledUntil, config, state }) =>
      alive && campaigning && config.isCandidate && !state.isRefused && now > troubledUntil,
  );
  const leads = ({ state }: Node): number =>
    state.election.candidateStates.filter(({ term }) => term !== undefined).length;
  noteSpread(world, well.map(leads));
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
  const cast = defined(world.votes[node.index]?.[partition]);
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
  const horizon = state.election.candidateStates[partition]?.horizon ?? Number.POSITIVE_INFINITY;
  const now = ownClock(favorite);
  // A bound that is ahead of the clock counts once the clock has reached it.
  return now < until && rules.counts(bound, Math.max(now, bound), horizon);
}
