// The behavior of the host in core that the guarantees depend on: belief that ends by the clock,
// work that drains, and the drain timeout.
import { localAt, realAt } from '../kernel/clock.ts';
import { between, happens, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { judgeBegin, settleAccounts } from './judge.ts';
import type { Belief, Node, World } from './world.ts';

/** Returns the belief of a node that has never led. */
export function noBelief(): Belief {
  return {
    token: -1n,
    until: Number.NEGATIVE_INFINITY as Belief['until'],
    ended: true,
    settled: true,
  };
}

/** Returns whether the node reports leadership to its user at this instant (H5). */
export function believes(world: World, node: Node, belief: Belief): boolean {
  return node.alive && !belief.ended && localAt(node.clock, world.now) < belief.until;
}

/**
 * Processes a proof: begins a term or extends the current one. Returns false if the term has
 * already ended, because a late proof revives nothing (T3, H4).
 */
export function granted(
  world: World,
  node: Node,
  partition: number,
  token: bigint,
  until: Belief['until'],
): boolean {
  settleAccounts(world, node.group, partition);
  const belief = there(node.beliefs[partition]);
  const isOn = believes(world, node, belief);
  if (token === belief.token && isOn) {
    if (until > belief.until) belief.until = until;
    return true;
  }
  if (token <= belief.token || localAt(node.clock, world.now) >= until) return false;
  node.beliefs[partition] = { token, until, ended: false, settled: false };
  judgeBegin(world, node, partition);
  return true;
}

/** Starts the drain of a term. The host waits for its work (H2) until the drain timeout (H3). */
export function drain(world: World, node: Node, partition: number): void {
  const { token } = there(node.beliefs[partition]);
  const { draining } = world.scenario;
  const to = { node: node.index, life: node.life, lane: partition, cargo: token };
  const takesMs = between(world.random, draining.ms[0], draining.ms[1]);
  const settles = !happens(world.random, draining.neverShare);
  if (settles) soon(world, takesMs, { kind: 'settled', ...to });
  if (settles && takesMs < draining.timeoutMs) return;
  const timeoutAt = realAt(node.clock, localAt(node.clock, world.now) + draining.timeoutMs);
  soon(world, timeoutAt - world.now, { kind: 'timed-out', ...to });
}

/** Ends the belief in a term. */
export function ended(world: World, node: Node, partition: number): void {
  settleAccounts(world, node.group, partition);
  there(node.beliefs[partition]).ended = true;
}
