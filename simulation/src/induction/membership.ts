// The member's side of the coordinator's protocol: it sends heartbeats, joins again when asked to,
// and receives its assignment (`outcome.ts`).

import { there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import type { Request } from './happening.ts';
import type { Node, World } from './world.ts';

/** Sends a request to join with the declined partitions, unless an answer is pending. */
export function join(world: World, node: Node): void {
  if (world.now >= node.joiningUntil) askAnew(world, node);
}

/** Sends a request to join, even if an answer is pending. */
export function askAnew(world: World, node: Node): void {
  node.joins += 1;
  tell(world, node, {
    kind: 'join',
    cargo: { declined: new Set(node.declined), count: node.joins },
  });
  const { rebalanceMs, heartbeatMs } = world.scenario;
  if (canReach(world, node)) node.joiningUntil = world.now + rebalanceMs + heartbeatMs;
}

/**
 * Notifies the coordinator that the member leaves, so that other members receive its partitions
 * sooner.
 */
export function leave(world: World, node: Node): void {
  tell(world, node, { kind: 'leave', cargo: undefined });
  node.generation = 0;
  node.joins += 1;
  node.joiningUntil = 0;
}

/** Sends a heartbeat and schedules the next. */
export function heartbeat(world: World, node: Node): void {
  const { index, life } = node;
  soon(world, world.scenario.heartbeatMs, {
    kind: 'heartbeat',
    node: index,
    life,
    lane: 0,
    cargo: undefined,
  });
  if (!node.campaigning) return;
  if (node.generation === 0) join(world, node);
  else tell(world, node, { kind: 'alive', cargo: node.generation });
}

type Message =
  | { readonly kind: 'alive'; readonly cargo: number }
  | { readonly kind: 'join'; readonly cargo: Request }
  | { readonly kind: 'leave'; readonly cargo: undefined };

/**
 * Sends a message. The message is lost while the coordinator is unreachable, and the next heartbeat
 * repeats it.
 */
function tell(world: World, node: Node, message: Message): void {
  const { index, life } = node;
  if (canReach(world, node))
    soon(world, delayMs(world), { node: index, life, lane: 0, ...message });
}

/** Returns whether the member and its coordinator can reach each other now. */
export function canReach({ now, groups }: World, { coordinatorCutUntil, group }: Node): boolean {
  return now >= coordinatorCutUntil && now >= there(groups[group]).awayUntil;
}
