// The safety-relevant behavior of the host in core: belief that ends by the clock, work that
// drains, and the drain timeout.

import { localAt, realAt } from '../kernel/clock.ts';
import { noteEnded, noteLed } from '../kernel/led-time.ts';
import { between, happens, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { believes, judgeGrant, reignOf } from './judge.ts';
import type { Belief, Node, World } from './world.ts';

/** Returns the belief of a node that has never led. */
export function noBelief(): Belief {
  return {
    token: -1n,
    until: Number.NEGATIVE_INFINITY as Belief['until'],
    ended: 'fenced',
    settled: true,
    givenUp: false,
  };
}

/** Processes a proof of leadership: begins a term or extends the current one. */
export function granted(
  world: World,
  node: Node,
  partition: number,
  token: bigint,
  until: Belief['until'],
): void {
  const belief = there(node.beliefs[partition]);
  if (judgeGrant(world, node, partition, token)) {
    noteTerm(world, node, partition);
    node.beliefs[partition] = { token, until, ended: 'no', settled: false, givenUp: false };
  } else if (until > belief.until) {
    belief.until = until;
  }
  noteLed(reignOf(world, partition), world.now, realAt(node.clock, until));
}

/**
 * Returns whether a delayed proof is too late: it has expired, or the belief in its term has ended,
 * which is final (H4).
 */
export function isOver(
  world: World,
  node: Node,
  partition: number,
  token: bigint,
  until: Belief['until'],
): boolean {
  const belief = there(node.beliefs[partition]);
  if (until <= localAt(node.clock, world.now) || token < belief.token) return true;
  return token === belief.token && !believes(world, node, belief);
}

/** Counts unjustified changes of leader, and slow hand-overs. */
function noteTerm(world: World, node: Node, partition: number): void {
  const { judge, now, scenario } = world;
  const reign = reignOf(world, partition);
  const before = world.nodes.find(({ alive, self }) => alive && self.incarnation === reign.leader);
  const isWell =
    before !== undefined && now > before.troubledUntil && !there(before.beliefs[partition]).givenUp;
  if (before !== node && isWell) judge.needlessMoves += 1;
  if (reign.releasedAt !== undefined) {
    judge.handovers += 1;
    // A release, a grant, and half a round trip for a member that received no release in time.
    if (now - reign.releasedAt > handoverDelays * scenario.network.delayMs[1])
      judge.slowHandovers += 1;
  }
  reign.releasedAt = undefined;
  reign.leader = node.self.incarnation;
  reign.terms += 1;
}

const handoverDelays = 2.1;

/** Starts the drain of a term. The host waits for its work (H2) until the drain timeout (H3). */
export function drain(world: World, node: Node, partition: number): void {
  const belief = there(node.beliefs[partition]);
  const { token } = belief;
  noteShared(world, node, partition, belief);
  const { draining } = world.scenario;
  const { index, life } = node;
  const cargo = [partition, token] as const;
  const takesMs = between(world.random, draining.ms[0], draining.ms[1]);
  const settles = !happens(world.random, draining.neverShare);
  if (settles) soon(world, takesMs, { kind: 'settled', node: index, life, cargo });
  if (settles && takesMs < draining.timeoutMs) return;
  const timeoutAt = realAt(node.clock, localAt(node.clock, world.now) + draining.timeoutMs);
  soon(world, timeoutAt - world.now, { kind: 'timed-out', node: index, life, cargo });
}

/** Counts a term that ends in favor of a member with fewer partitions. */
function noteShared(world: World, node: Node, partition: number, belief: Belief): void {
  const { tenure } = there(node.state.claims[partition]);
  if (belief.givenUp || tenure.kind !== 'revoking' || tenure.successor < 0) return;
  belief.givenUp = true;
  world.judge.sharingMoves += 1;
}

/** Ends the belief in a term. */
export function ended(
  world: World,
  node: Node,
  partition: number,
  how: 'released' | 'fenced',
  reason?: string,
): void {
  const belief = there(node.beliefs[partition]);
  if (reason === 'expired' && world.now > node.troubledUntil) world.judge.renewalGaps += 1;
  if (belief.ended !== 'no') return;
  const isBelieved = believes(world, node, belief);
  belief.ended = isBelieved ? how : 'fenced';
  if (!isBelieved) return;
  const reign = reignOf(world, partition);
  noteEnded(reign, world.now);
  if (how === 'released') reign.releasedAt = world.now;
}
