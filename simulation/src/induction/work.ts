// The work of a term while it drains (H2, H3).
import { there } from '../kernel/random.ts';
import { take } from './engine.ts';
import { believes, ended } from './host.ts';
import type { Node, World } from './world.ts';

/** Processes the end of the work of a term. */
export function settled(world: World, node: Node, partition: number, token: bigint): void {
  const belief = there(node.beliefs[partition]);
  if (belief.token !== token || belief.settled) return;
  belief.settled = true;
  if (believes(world, node, belief)) take(world, node, partition, { kind: 'drained' });
}

/** Processes a drain timeout (H3). */
export function timedOut(world: World, node: Node, partition: number, token: bigint): void {
  const belief = there(node.beliefs[partition]);
  if (belief.token !== token || belief.settled || !believes(world, node, belief)) return;
  ended(world, node, partition);
  take(world, node, partition, { kind: 'fenced', lapse: true });
}
