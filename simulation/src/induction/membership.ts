// A simulated member's side of the coordinator's protocol: it sends heartbeats, joins again when
// asked to, and receives its assignment.
import {
  type DeclinedPartitions,
  declinedPartitions,
  type InductionInput,
} from '@leadership/induction/internal/protocol';
import { delayMs } from '../kernel/network.ts';
import { defined, happens } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { joined, receivedFrom, remove } from './coordinator.ts';
import { type Assignment, canReach, type JoinRequest, type Node, type World } from './world.ts';

/** A message to the coordinator, from a process in one of its lives. */
interface Message {
  readonly node: number;
  readonly life: number;
  readonly what:
    | { readonly kind: 'alive'; readonly generation: number }
    | { readonly kind: 'join'; readonly request: JoinRequest }
    | { readonly kind: 'leave' };
}

/**
 * Sends a message. It is lost while the coordinator is unreachable, and the next heartbeat repeats
 * it.
 */
function send(world: World, node: Node, what: Message['what']): void {
  if (!canReach(world, node)) return;
  const message: Message = { node: node.index, life: node.life, what };
  schedule(world, delayMs(world), receive, message);
}

/**
 * Delivers a message to the coordinator. Messages of stopped processes, and messages to an
 * unavailable coordinator, are lost.
 */
function receive(world: World, { node: index, life, what }: Message): void {
  const node = defined(world.nodes[index]);
  const group = defined(world.groups[node.group]);
  if (world.now < group.awayUntil || node.life !== life) return;
  if (what.kind === 'alive') receivedFrom(world, node, what.generation);
  else if (what.kind === 'join') joined(world, node, what.request);
  else remove(world, group, node.incarnation);
}

/** Sends a heartbeat and schedules the next. */
export function heartbeat(world: World, _content: undefined, node: Node): void {
  scheduleFor(world, node, world.scenario.heartbeatMs, heartbeat, undefined);
  if (!node.campaigning) return;
  if (node.generation === 0) rejoin(world, undefined, node);
  else send(world, node, { kind: 'alive', generation: node.generation });
}

/** Sends a request to join with the declined partitions, unless an answer is pending. */
export function rejoin(world: World, _content: undefined, node: Node): void {
  if (node.campaigning && world.now >= node.joiningUntil) joinAgain(world, node);
}

/** Sends a request to join, even if an answer is pending. */
function joinAgain(world: World, node: Node): void {
  node.joins += 1;
  const request = { declined: new Set(node.declined), count: node.joins };
  send(world, node, { kind: 'join', request });
  const { rebalanceMs, heartbeatMs } = world.scenario;
  if (canReach(world, node)) node.joiningUntil = world.now + rebalanceMs + heartbeatMs;
}

/**
 * Returns the partitions that the member declines in this life. It joins again whenever they change, but
 * a member that can take its share again only if it has less than that.
 */
export function declines(world: World, node: Node): DeclinedPartitions {
  return declinedPartitions(node.partitions.length, (partitions, isBack) => {
    const isSame =
      partitions.size === node.declined.size &&
      [...partitions].every((one) => node.declined.has(one));
    node.declined = partitions;
    if (isSame || !node.campaigning || node.generation === 0) return;
    if (node.hasChanged || (isBack && !lacksShare(world, node))) return;
    node.hasChanged = true;
    scheduleFor(world, node, 0, joinChanged, undefined);
  });
}

/** Joins again once for all that changed at one moment. */
function joinChanged(world: World, _content: undefined, node: Node): void {
  node.hasChanged = false;
  if (node.campaigning && node.generation > 0) joinAgain(world, node);
}

function lacksShare({ groups }: World, { group, incarnation, partitions }: Node): boolean {
  const { owners, sessions } = defined(groups[group]);
  const own = owners.filter((owner) => owner === incarnation).length;
  return own < Math.floor(partitions.length / Math.max(1, sessions.size));
}

/**
 * Notifies the coordinator that the member leaves, so that other members receive its partitions
 * sooner.
 */
export function leave(world: World, node: Node): void {
  send(world, node, { kind: 'leave' });
  node.generation = 0;
  node.joins += 1;
  node.joiningUntil = 0;
}

/**
 * Processes an assignment. The member ignores it unless it answers the latest request to join. The
 * member may learn its partitions before the generation of the assignment.
 */
export function assigned(world: World, assignment: Assignment, node: Node): void {
  const { partitions, generation, alone, answers } = assignment;
  if (!node.campaigning || answers !== node.joins) return;
  const { numbered, heartbeatMs } = world.scenario;
  const isFirst = node.generation !== generation;
  const isLate = numbered === 'late' && isFirst && happens(world.random, lateShare);
  const known = numbered === 'never' || isLate ? undefined : generation;
  node.generation = generation;
  node.joiningUntil = 0;
  node.declines.assigned(partitions);
  stepEach(world, node, (partition) => {
    const mine = partitions.has(partition);
    return { kind: 'assigned', mine, generation: known, alone };
  });
  if (isLate) scheduleFor(world, node, heartbeatMs, assigned, assignment);
}

/** Applies an input to each partition. */
export function stepEach(
  world: World,
  node: Node,
  inputOf: (partition: number) => InductionInput,
): void {
  for (let partition = 0; partition < node.partitions.length; partition += 1)
    world.member.step(world, node, partition, inputOf(partition));
  world.member.arm(world, node);
}

/** Share of assignments whose generation arrives later, in scenarios with late generations. */
const lateShare = 0.5;
