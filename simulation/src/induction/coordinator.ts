// The simulated broker's coordinator in worlds of induction, as in Kafka. It keeps the sessions of
// the members, starts a rebalance when a member joins or leaves, and assigns every partition to at
// most one member.
import { balance, type Holding } from '@leadership/core/internal/engine';
import { delayMs } from '../kernel/network.ts';
import { defined } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { judgeRebalance, settle } from './judge.ts';
import {
  canReach,
  type Group,
  type JoinRequest,
  type Node,
  type Session,
  type World,
} from './world.ts';

/** Returns a group without members. */
export function newGroup(index: number, partitions: number): Group {
  const owners = Array.from({ length: partitions }, () => undefined);
  return {
    index,
    generation: 0,
    sessions: new Map(),
    owners,
    movedAt: owners.map(() => 0),
    rebalancing: false,
    rebalances: 0,
    refusedUntil: 0,
    refusedRebalances: 0,
    awayUntil: 0,
    deletedAt: Number.NEGATIVE_INFINITY,
    requestedMoves: new Map(),
  };
}

/**
 * Processes a heartbeat. The coordinator asks an unknown member, or one that is behind a rebalance,
 * to join again.
 */
export function receivedFrom(world: World, node: Node, generation: number): void {
  const group = defined(world.groups[node.group]);
  const session = group.sessions.get(node.incarnation);
  if (session) session.deadlineAt = world.now + world.scenario.sessionMs;
  const isKnown = session !== undefined && generation === group.generation;
  if (isKnown && (!group.rebalancing || session.hasJoined)) return;
  if (canReach(world, node))
    scheduleFor(world, node, delayMs(world), world.member.rejoin, undefined);
}

/** Processes a request to join, which starts a rebalance for all members. */
export function joined(world: World, node: Node, request: JoinRequest): void {
  const group = defined(world.groups[node.group]);
  const session = group.sessions.get(node.incarnation) ?? newSession(world, node, request);
  session.deadlineAt = world.now + world.scenario.sessionMs;
  session.request = request;
  if (!group.rebalancing) rebalance(world, group);
  session.hasJoined = true;
  finishOnce(world, group);
}

function newSession(
  world: World,
  { index, group, incarnation }: Node,
  request: JoinRequest,
): Session {
  const { sessionMs } = world.scenario;
  const session: Session = {
    group,
    node: index,
    incarnation,
    deadlineAt: world.now + sessionMs,
    hasJoined: false,
    request,
  };
  defined(world.groups[group]).sessions.set(incarnation, session);
  schedule(world, sessionMs, expire, session);
  return session;
}

/**
 * Processes the timer of a session: removes the member if its session has expired. A session has
 * one timer: heartbeats only move its deadline.
 */
function expire(world: World, session: Session): void {
  const group = defined(world.groups[session.group]);
  if (group.sessions.get(session.incarnation) !== session) return;
  if (world.now < group.awayUntil) session.deadlineAt = group.awayUntil + world.scenario.sessionMs;
  if (world.now >= session.deadlineAt) remove(world, group, session.incarnation);
  else schedule(world, session.deadlineAt - world.now, expire, session);
}

/** Removes a member that left, was removed by an operator, or sent no heartbeat for a session. */
export function remove(world: World, group: Group, incarnation: string): void {
  if (!group.sessions.delete(incarnation)) return;
  if (group.rebalancing) finishOnce(world, group);
  else rebalance(world, group);
}

/** Asks all members to join again. They learn of it with their next heartbeat. */
export function rebalance(world: World, group: Group): void {
  group.rebalancing = true;
  group.rebalances += 1;
  for (const session of group.sessions.values()) session.hasJoined = false;
  limitRebalance(world, group, world.scenario.rebalanceMs);
}

function limitRebalance(world: World, { index, rebalances }: Group, ms: number): void {
  schedule(world, ms, endRebalance, [index, rebalances] as const);
}

/** Processes the timeout of a rebalance: removes the members that have not joined. */
function endRebalance(world: World, [index, rebalances]: readonly [number, number]): void {
  const group = defined(world.groups[index]);
  if (!group.rebalancing || group.rebalances !== rebalances) return;
  // The next coordinator starts the time limit again.
  if (world.now < group.awayUntil)
    return limitRebalance(world, group, group.awayUntil - world.now + world.scenario.rebalanceMs);
  for (const { incarnation, hasJoined } of group.sessions.values())
    if (!hasJoined) group.sessions.delete(incarnation);
  finish(world, group);
}

function finishOnce(world: World, group: Group): void {
  const isComplete = [...group.sessions.values()].every(({ hasJoined }) => hasJoined);
  if (group.rebalancing && isComplete) finish(world, group);
}

function finish(world: World, group: Group): void {
  const { sessions, owners } = group;
  group.rebalancing = false;
  group.generation += 1;
  judgeRebalance(world, group);
  const isHalfway = assign(world, group);
  const { generation } = group;
  const alone = sessions.size === 1;
  for (const { incarnation, node: index, request } of sessions.values()) {
    const node = defined(world.nodes[index]);
    const isPresent = node.alive && node.incarnation === incarnation;
    if (!isPresent || !canReach(world, node)) continue;
    const own = [...owners.keys()].filter((partition) => owners[partition] === incarnation);
    const assignment = { partitions: new Set(own), generation, alone, answers: request.count };
    scheduleFor(world, node, delayMs(world), world.member.assigned, assignment);
  }
  if (isHalfway) rebalance(world, group);
}

/**
 * Assigns the partitions. Returns whether another rebalance must follow: in a cooperative one, a
 * partition changes its owner in two rounds.
 */
function assign(world: World, group: Group): boolean {
  const { owners, sessions, movedAt } = group;
  const isCooperative = world.scenario.rebalancing === 'cooperative';
  let isHalfway = false;
  targets(group).forEach((target, partition) => {
    const owner = owners[partition];
    if (target === owner) return;
    settle(world, group.index, partition);
    movedAt[partition] = world.now;
    const mustRelease = isCooperative && owner !== undefined && sessions.has(owner);
    owners[partition] = mustRelease ? undefined : target;
    isHalfway ||= mustRelease;
  });
  return isHalfway;
}

/**
 * Returns the balanced target owners with the fewest moves, subject to what members decline and to
 * the requested moves.
 */
function targets({ sessions, owners, requestedMoves }: Group): (string | undefined)[] {
  const holders = new Map<number, Holding>();
  const hold = (partition: number, incarnation: string): void =>
    void holders.set(partition, { incarnation, token: 0n });
  owners.forEach((owner, partition) => owner !== undefined && hold(partition, owner));
  for (const [partition, target] of requestedMoves)
    if (sessions.has(target)) hold(partition, target);
  const takers = [...sessions].filter(([, { request }]) => request.declined.size < owners.length);
  const able = takers.length > 0 ? new Map(takers) : sessions;
  const ranks = balance(owners.length, [...able.keys()], holders);
  const accepts = (incarnation: string, partition: number): boolean =>
    !sessions.get(incarnation)?.request.declined.has(partition);
  return owners.map((_, partition) => {
    const order = ranks.get(partition) ?? [];
    return order.find((incarnation) => accepts(incarnation, partition)) ?? order[0];
  });
}
