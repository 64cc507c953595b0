// A member's side of the coordinator's protocol: it is heard of again and again, joins anew when it is asked to, and is told what
// it was assigned (`outcome.ts`).

import { there } from '../random.ts';
import { soon } from '../timeline.ts';
import { delayMs } from '../weather.ts';
import type { Request } from './happening.ts';
import type { Node, World } from './world.ts';

/** Asks to join, with what this member declines; unless it is waiting for the answer already. */
export function join(world: World, node: Node): void {
  if (world.now >= node.joiningUntil) askAnew(world, node);
}

/** The same, whatever was asked before. */
export function askAnew(world: World, node: Node): void {
  node.joins += 1;
  tell(world, node, { kind: 'join', cargo: { declined: new Set(node.declined), count: node.joins } });
  const { rebalanceMs, heartbeatMs } = world.scenario;
  if (canReach(world, node)) node.joiningUntil = world.now + rebalanceMs + heartbeatMs;
}

/** Says that this member is gone. The sooner the coordinator hears of it, the sooner others get what it had. */
export function leave(world: World, node: Node): void {
  tell(world, node, { kind: 'leave', cargo: undefined });
  node.generation = 0;
  node.joins += 1;
  node.joiningUntil = 0;
}

/** Time to be heard of. */
export function heartbeat(world: World, node: Node): void {
  const { index, life } = node;
  soon(world, world.scenario.heartbeatMs, { kind: 'heartbeat', node: index, life, lane: 0, cargo: undefined });
  if (!node.campaigning) return;
  if (node.generation === 0) join(world, node);
  else tell(world, node, { kind: 'alive', cargo: node.generation });
}

type Message =
  | { readonly kind: 'alive'; readonly cargo: number }
  | { readonly kind: 'join'; readonly cargo: Request }
  | { readonly kind: 'leave'; readonly cargo: undefined };

/** What is said while the coordinator cannot be reached is lost: the next heartbeat says it again. */
function tell(world: World, node: Node, message: Message): void {
  const { index, life } = node;
  if (canReach(world, node)) soon(world, delayMs(world), { node: index, life, lane: 0, ...message });
}

/** Whether the member and its coordinator reach one another now. */
export function canReach({ now, groups }: World, { coordinatorCutUntil, group }: Node): boolean {
  return now >= coordinatorCutUntil && now >= there(groups[group]).awayUntil;
}
