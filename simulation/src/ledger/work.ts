// The work of a term while it drains (H2, H3).
import { realAt } from '../kernel/clock.ts';
import { there } from '../kernel/random.ts';
import { take } from './engine.ts';
import { ended } from './host.ts';
import { believes, reignOf } from './judge.ts';
import type { Node, World } from './world.ts';

/** Processes the end of the work of a term. */
export function settled(world: World, node: Node, partition: number, token: bigint): void {
  const belief = there(node.beliefs[partition]);
  if (belief.token !== token) return;
  const mayRelease = !belief.settled && believes(world, node, belief);
  belief.settled = true;
  if (mayRelease) take(world, node, partition, { kind: 'drained' });
}

/**
 * Processes a drain timeout. The lease is left to lapse, so that the work has another T to react
 * (H3).
 */
export function timedOut(world: World, node: Node, partition: number, token: bigint): void {
  const belief = there(node.beliefs[partition]);
  const { onDrainTimeout } = world.rules.host;
  if (
    belief.token !== token ||
    belief.settled ||
    !believes(world, node, belief) ||
    onDrainTimeout === 'wait-on'
  )
    return;
  const reign = reignOf(world.judge, partition);
  reign.reservedUntil = realAt(node.clock, belief.until);
  ended(world, node, partition, 'fenced');
  take(world, node, partition, { kind: 'fenced', lapse: onDrainTimeout === 'leave-to-lapse' });
}
