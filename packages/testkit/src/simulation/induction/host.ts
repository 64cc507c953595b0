// What core's host does, as far as the promises depend on it: belief that the clock ends, work that drains, and the end of patience.
import { localAt, realAt } from '../clock.ts';
import { between, happens, there } from '../random.ts';
import { soon } from '../timeline.ts';
import { judgeBegin, settleAccounts } from './judge.ts';
import type { Belief, Node, World } from './world.ts';

/** The belief of one who never led. */
export function noBelief(): Belief {
  return { token: -1n, until: Number.NEGATIVE_INFINITY as Belief['until'], ended: true, settled: true };
}

/** Whether the node tells its user, at this very instant, that it leads (H5). */
export function believes(world: World, node: Node, belief: Belief): boolean {
  return node.alive && !belief.ended && localAt(node.clock, world.now) < belief.until;
}

/** A proof was seen: a term begins, or goes on; or it is over already, and the proof revives nothing (T3, H4). */
export function granted(world: World, node: Node, partition: number, token: bigint, until: Belief['until']): boolean {
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

/** The term is to end in order: work is asked to finish, and waited for (H2) until its time is up (H3). */
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

/** Belief in the term is over. */
export function ended(world: World, node: Node, partition: number): void {
  settleAccounts(world, node.group, partition);
  there(node.beliefs[partition]).ended = true;
}
