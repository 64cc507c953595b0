// A group's coordinator: it keeps members' sessions, asks all to join anew when one comes or goes, and assigns every partition to
// one of them at most.
import { balance, type Holding } from '@leadership/core/ledger';
import { there } from '../random.ts';
import { soon } from '../timeline.ts';
import { delayMs } from '../weather.ts';
import type { Request } from './happening.ts';
import { canReach } from './membership.ts';
import type { Group, Node, Seat, World } from './world.ts';

/** Nobody is a member yet. */
export function newGroup(index: number, partitions: number): Group {
  const owners = Array.from({ length: partitions }, () => undefined);
  return {
    index,
    generation: 0,
    members: new Map(),
    owners,
    movedAt: owners.map(() => 0),
    rebalancing: false,
    rebalances: 0,
    awayUntil: 0,
    deletedAt: Number.NEGATIVE_INFINITY,
    wishes: new Map(),
  };
}

/** A member was heard of. It is asked to join anew where it is not known, where others are, or where it is behind. */
export function heardOf(world: World, node: Node, generation: number): void {
  const group = there(world.groups[node.group]);
  const seat = group.members.get(node.self.incarnation);
  if (seat !== undefined) prolong(world, node, seat);
  const isCurrent = seat !== undefined && generation === group.generation && (!group.rebalancing || seat.joined);
  if (isCurrent || !canReach(world, node)) return;
  soon(world, delayMs(world), { kind: 'rejoin', node: node.index, life: node.life, lane: 0, cargo: undefined });
}

/** A member joins: everybody else has to, too. */
export function joined(world: World, node: Node, request: Request): void {
  const group = there(world.groups[node.group]);
  const known = group.members.get(node.self.incarnation);
  const seat = known ?? { node: node.index, life: node.life, deadlineAt: 0, joined: false, request };
  group.members.set(node.self.incarnation, seat);
  seat.request = request;
  prolong(world, node, seat);
  if (!group.rebalancing) rebalance(world, group);
  seat.joined = true;
  finishOnce(world, group);
}

/** A member is gone: by its own word, by an operator's, or because it was not heard of for a session. */
export function removed(world: World, group: Group, incarnation: string): void {
  if (!group.members.delete(incarnation)) return;
  if (!group.rebalancing) rebalance(world, group);
  else finishOnce(world, group);
}

/** Asks all members to join anew. They hear of it with their next heartbeat. */
export function rebalance(world: World, group: Group): void {
  group.rebalancing = true;
  group.rebalances += 1;
  for (const seat of group.members.values()) seat.joined = false;
  soon(world, world.scenario.rebalanceMs, { kind: 'rebalanced', node: group.index, life: 0, lane: 0, cargo: group.rebalances });
}

/** A rebalance has taken its time: who has not joined is a member no more. */
export function rebalanceTimedOut(world: World, group: Group, rebalances: number): void {
  if (!group.rebalancing || group.rebalances !== rebalances) return;
  if (world.now < group.awayUntil) return later(world, group, { kind: 'rebalanced', cargo: rebalances });
  for (const [incarnation, { joined: hasJoined }] of group.members) if (!hasJoined) group.members.delete(incarnation);
  finish(world, group);
}

/** A session may be over. */
export function sessionOver(world: World, group: Group, incarnation: string): void {
  const seat = group.members.get(incarnation);
  if (seat === undefined) return;
  if (world.now < group.awayUntil) return later(world, group, { kind: 'session', cargo: incarnation });
  if (world.now >= seat.deadlineAt) removed(world, group, incarnation);
}

/** While the coordinator is away, no session runs out: whoever takes its place begins them all anew. */
function later(
  world: World,
  group: Group,
  timer: { readonly kind: 'session'; readonly cargo: string } | { readonly kind: 'rebalanced'; readonly cargo: number },
): void {
  const ms = group.awayUntil - world.now + (timer.kind === 'session' ? world.scenario.sessionMs : world.scenario.rebalanceMs);
  const seat = timer.kind === 'session' ? group.members.get(timer.cargo) : undefined;
  if (seat) seat.deadlineAt = world.now + ms;
  soon(world, ms, { node: group.index, life: 0, lane: 0, ...timer });
}

function prolong(world: World, node: Node, seat: Seat): void {
  const { sessionMs } = world.scenario;
  seat.deadlineAt = world.now + sessionMs;
  soon(world, sessionMs, { kind: 'session', node: node.group, life: 0, lane: 0, cargo: node.self.incarnation });
}

function finishOnce(world: World, group: Group): void {
  const isComplete = [...group.members.values()].every((seat) => seat.joined);
  if (group.rebalancing && isComplete) finish(world, group);
}

function finish(world: World, group: Group): void {
  group.rebalancing = false;
  group.generation += 1;
  const moved = assign(world, group);
  for (const [incarnation, seat] of group.members) {
    const node = there(world.nodes[seat.node]);
    if (!canReach(world, node)) continue;
    const partitions = new Set([...group.owners.keys()].filter((partition) => group.owners[partition] === incarnation));
    const outcome = { partitions, generation: group.generation, alone: group.members.size === 1, answers: seat.request.count };
    soon(world, delayMs(world), { kind: 'assigned', node: seat.node, life: seat.life, lane: 0, cargo: outcome });
  }
  if (moved) rebalance(world, group);
}

/** Says whether something is still to be moved: cooperatively, what one member loses another gets with the next decision only. */
function assign({ scenario, now }: World, group: Group): boolean {
  const { owners, members, movedAt } = group;
  const wanted = targets(group, scenario.partitions);
  let isHalfway = false;
  owners.forEach((owner, partition) => {
    const target = wanted[partition];
    if (target === owner) return;
    movedAt[partition] = now;
    const mustLetGo = scenario.rebalancing === 'cooperative' && owner !== undefined && members.has(owner);
    owners[partition] = mustLetGo ? undefined : target;
    if (mustLetGo) isHalfway = true;
  });
  return isHalfway;
}

/** Balanced, with as few moves as that takes; but for what members decline, and what was wished for. */
function targets({ members, owners, wishes }: Group, partitions: number): (string | undefined)[] {
  const holders = new Map<number, Holding>();
  const hold = (partition: number, incarnation: string): void => void holders.set(partition, { incarnation, token: 0n });
  owners.forEach((owner, partition) => owner !== undefined && hold(partition, owner));
  for (const [partition, wish] of wishes) if (members.has(wish)) hold(partition, wish);
  const ranks = balance(partitions, [...members.keys()], holders);
  return owners.map((_, partition) => {
    const order = ranks.get(partition) ?? [];
    return order.find((incarnation) => !members.get(incarnation)?.request.declined.has(partition)) ?? order[0];
  });
}
