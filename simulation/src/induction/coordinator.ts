// The coordinator of a group. It keeps the sessions of the members, starts a rebalance when a
// member joins or leaves, and assigns every partition to at most one member.

import type { Holding } from '@leadership/core/adapter';
import { balance } from '@leadership/core/internal';
import { push } from '../kernel/queue.ts';
import { there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import type { Request } from './happening.ts';
import { canReach } from './membership.ts';
import type { Group, Node, Seat, World } from './world.ts';

/** Returns a group without members. */
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

/**
 * Processes a heartbeat. The coordinator asks an unknown member, or one that is behind a rebalance,
 * to join again.
 */
export function heardOf(world: World, node: Node, generation: number): void {
  const group = there(world.groups[node.group]);
  const seat = group.members.get(node.self.incarnation);
  if (seat !== undefined) prolong(world, node, seat);
  const isCurrent =
    seat !== undefined && generation === group.generation && (!group.rebalancing || seat.joined);
  if (isCurrent || !canReach(world, node)) return;
  soon(world, delayMs(world), {
    kind: 'rejoin',
    node: node.index,
    life: node.life,
    lane: 0,
    cargo: undefined,
  });
}

/** Processes a request to join, which starts a rebalance for all members. */
export function joined(world: World, node: Node, request: Request): void {
  const group = there(world.groups[node.group]);
  const known = group.members.get(node.self.incarnation);
  const seat = known ?? {
    node: node.index,
    life: node.life,
    deadlineAt: 0,
    timerAt: Number.NEGATIVE_INFINITY,
    joined: false,
    request,
  };
  group.members.set(node.self.incarnation, seat);
  seat.request = request;
  prolong(world, node, seat);
  if (!group.rebalancing) rebalance(world, group);
  seat.joined = true;
  finishOnce(world, group);
}

/** Removes a member that left, was removed by an operator, or sent no heartbeat for a session. */
export function removed(world: World, group: Group, incarnation: string): void {
  if (!group.members.delete(incarnation)) return;
  if (!group.rebalancing) rebalance(world, group);
  else finishOnce(world, group);
}

/** Asks all members to join again. They learn of it with their next heartbeat. */
export function rebalance(world: World, group: Group): void {
  group.rebalancing = true;
  group.rebalances += 1;
  for (const seat of group.members.values()) seat.joined = false;
  rebalanceLater(world, group, world.scenario.rebalanceMs);
}

function rebalanceLater(world: World, { index: node, rebalances: cargo }: Group, ms: number): void {
  soon(world, ms, { kind: 'rebalanced', node, life: 0, lane: 0, cargo });
}

/** Processes the timeout of a rebalance: removes the members that have not joined. */
export function rebalanceTimedOut(world: World, group: Group, rebalances: number): void {
  if (!group.rebalancing || group.rebalances !== rebalances) return;
  // The next coordinator starts the time limit again.
  if (world.now < group.awayUntil)
    return rebalanceLater(world, group, group.awayUntil - world.now + world.scenario.rebalanceMs);
  for (const [incarnation, { joined: hasJoined }] of group.members)
    if (!hasJoined) group.members.delete(incarnation);
  finish(world, group);
}

/** Processes a session timer: removes the member if its session has expired. */
export function sessionOver(world: World, group: Group, incarnation: string): void {
  const seat = group.members.get(incarnation);
  if (seat === undefined || seat.timerAt !== world.now) return;
  if (world.now < group.awayUntil) seat.deadlineAt = group.awayUntil + world.scenario.sessionMs;
  if (world.now >= seat.deadlineAt) removed(world, group, incarnation);
  else expireLater(world, group.index, incarnation, seat);
}

/**
 * Schedules the timer of a session. A session has one timer: heartbeats only move its deadline, and
 * a timer that fires before the deadline is scheduled again.
 */
function expireLater(world: World, node: number, incarnation: string, seat: Seat): void {
  seat.timerAt = seat.deadlineAt;
  const timer = { kind: 'session', node, life: 0, lane: 0, cargo: incarnation } as const;
  push(world.queue, seat.timerAt, timer);
}

function prolong(world: World, node: Node, seat: Seat): void {
  seat.deadlineAt = world.now + world.scenario.sessionMs;
  if (seat.timerAt < world.now) expireLater(world, node.group, node.self.incarnation, seat);
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
    const partitions = new Set(
      [...group.owners.keys()].filter((partition) => group.owners[partition] === incarnation),
    );
    const outcome = {
      partitions,
      generation: group.generation,
      alone: group.members.size === 1,
      answers: seat.request.count,
    };
    soon(world, delayMs(world), {
      kind: 'assigned',
      node: seat.node,
      life: seat.life,
      lane: 0,
      cargo: outcome,
    });
  }
  if (moved) rebalance(world, group);
}

/**
 * Assigns the partitions. Returns whether another rebalance must follow: in a cooperative one, a
 * partition changes its owner in two rounds.
 */
function assign({ scenario, now }: World, group: Group): boolean {
  const { owners, members, movedAt } = group;
  const wanted = targets(group, scenario.partitions);
  let isHalfway = false;
  owners.forEach((owner, partition) => {
    const target = wanted[partition];
    if (target === owner) return;
    movedAt[partition] = now;
    const mustLetGo =
      scenario.rebalancing === 'cooperative' && owner !== undefined && members.has(owner);
    owners[partition] = mustLetGo ? undefined : target;
    if (mustLetGo) isHalfway = true;
  });
  return isHalfway;
}

/**
 * Returns the balanced target owners with the fewest moves, subject to what members decline and to
 * the requested moves.
 */
function targets({ members, owners, wishes }: Group, partitions: number): (string | undefined)[] {
  const holders = new Map<number, Holding>();
  const hold = (partition: number, incarnation: string): void =>
    void holders.set(partition, { incarnation, token: 0n });
  owners.forEach((owner, partition) => owner !== undefined && hold(partition, owner));
  for (const [partition, wish] of wishes) if (members.has(wish)) hold(partition, wish);
  const ranks = balance(partitions, [...members.keys()], holders);
  return owners.map((_, partition) => {
    const order = ranks.get(partition) ?? [];
    return (
      order.find((incarnation) => !members.get(incarnation)?.request.declined.has(partition)) ??
      order[0]
    );
  });
}
