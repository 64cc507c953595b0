// The safety-relevant behavior of the host in core: belief that ends by the clock, work that
// drains, and the drain timeout.
import { localAt, realAt } from '../kernel/clock.ts';
import { noteEnded, noteLed } from '../kernel/led-time.ts';
import { between, happens, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { believes, judgeGrant, reignOf } from './judge.ts';
import { noteMove } from './moves.ts';
import type { Belief, Node, World } from './world.ts';

/** Returns the belief of a node that has never led. */
export function noBelief(): Belief {
  return {
    token: -1n,
    until: Number.NEGATIVE_INFINITY as Belief['until'],
    ended: 'fenced',
    drainingSince: undefined,
    settled: true,
    beganAt: 0,
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
  const begins = judgeGrant(world, node, partition, token);
  const belief = there(node.beliefs[partition]);
  if (begins) {
    noteMove(world, node, partition);
    reignOf(world.judge, partition).leader = node.self.incarnation;
    node.beliefs[partition] = {
      token,
      until,
      ended: 'no',
      drainingSince: undefined,
      settled: false,
      beganAt: world.now,
      givenUp: false,
    };
  } else if (until > belief.until) {
    belief.until = until;
  }
  noteLed(reignOf(world.judge, partition), world.now, realAt(node.clock, until));
}

/** Starts the drain of a term. The host waits for its work (H2) until the drain timeout (H3). */
export function drain(world: World, node: Node, partition: number): void {
  const belief = there(node.beliefs[partition]);
  const { draining } = world.scenario;
  const { index, life } = node;
  belief.drainingSince = localAt(node.clock, world.now);
  const { token: cargo } = belief;
  const lane = partition + 1;
  const takesMs = between(world.random, draining.ms[0], draining.ms[1]);
  const settles = !happens(world.random, draining.neverShare);
  if (settles) soon(world, takesMs, { kind: 'settled', node: index, life, lane, cargo });
  if (settles && takesMs < draining.timeoutMs) return;
  const timeoutAt = realAt(node.clock, belief.drainingSince + draining.timeoutMs);
  soon(world, timeoutAt - world.now, { kind: 'timed-out', node: index, life, lane, cargo });
}

/** Ends the belief in a term. */
export function ended(
  world: World,
  node: Node,
  partition: number,
  how: 'released' | 'fenced',
): void {
  const belief = there(node.beliefs[partition]);
  if (belief.ended !== 'no') return;
  const isBelieved = believes(world, node, belief);
  if (isBelieved) noteEnded(reignOf(world.judge, partition), world.now);
  belief.ended = isBelieved ? how : 'fenced';
}
