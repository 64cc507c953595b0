// The faults that strike worlds of Nerio: what each changes in the simulated world.

import {
  type Epoch,
  type EpochMember,
  electorateOf,
  type QuorumSpec,
} from '@leadership/nerio/internal/protocol';
import {
  anyPartition,
  drift,
  type Fault,
  faultSchedule,
  outageMs,
  restartMs,
  wallStep,
} from '../kernel/faults.ts';
import { divide, isolate, leaderOf, trouble, troubleAll } from '../kernel/links.ts';
import { about } from '../kernel/network.ts';
import { defined, happens, pick } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { copy, hang, keepsHardState, noteLoss, restore, wipe } from './disk.ts';
import { take, written } from './engine.ts';
import { mayForget, mayLose, membersWho, willBeBindable } from './forgetting.ts';
import { judgeSpread } from './judge.ts';
import { sendByName } from './network.ts';
import { startLater, stop } from './node.ts';
import { judgeQuorum } from './quorum-judge.ts';
import type { FaultKind } from './scenario.ts';
import { memberNode, type Node, nameOf, type World } from './world.ts';

const faults: Readonly<Record<FaultKind, Fault<World, Node>>> = {
  pause(world, node, lastsMs) {
    node.pausedUntil = world.now + lastsMs;
    trouble(world, node);
  },
  amnesia: (world, node, lastsMs) => stopFor(world, node, lastsMs, !mayForget(world, node)),
  restart: (world, node, lastsMs) => stopFor(world, node, lastsMs, true),
  redeploy: (world, node) => redeploy(world, undefined, node),
  copy: (_world, node) => copy(node),
  restore(world, node, lastsMs) {
    if (node.disk.copy !== undefined) loseFor(world, node, lastsMs, restore);
  },
  wipe(world, node, lastsMs) {
    loseFor(world, node, lastsMs, () => wipe(node, defined(world.first[node.config])));
  },
  hang(world, node, lastsMs) {
    hang(world, node, lastsMs);
    scheduleFor(world, node, lastsMs, written, undefined);
    trouble(world, node);
  },
  partition: divide,
  isolate(world, node) {
    const way = pick(world.random, ['deaf', 'mute', 'tied'] as const);
    isolate(world, node, way, neighbour(world, node, pick(world.random, [1, -1])));
  },
  deafen: (world, node) => isolate(world, leaderOf(world, anyPartition(world)) ?? node, 'deaf'),
  tie(world, node) {
    const leader = leaderOf(world, anyPartition(world)) ?? node;
    isolate(world, leader, 'tied', neighbour(world, leader, 1));
  },
  resign(world) {
    const partition = anyPartition(world);
    const leader = leaderOf(world, partition);
    if (leader === undefined) return;
    defined(leader.hosted[partition]).term.givenUp = true;
    const atLeastMs = about(world, world.scenario.leaseMs);
    take(world, leader, { kind: 'resign', partition, atLeastMs });
  },
  observe(world, node) {
    node.campaigning = !node.campaigning;
    if (!node.campaigning) giveUp(node);
    take(world, node, { kind: 'campaign', on: node.campaigning });
  },
  drift(world, node) {
    drift(world, node);
    judgeAll(world);
  },
  'wall-step'(world, node) {
    wallStep(world, node);
    judgeAll(world);
  },
  reconfigure(world, node) {
    const next = keepsHardState(node) ? nextOf(world) : undefined;
    if (next === undefined) return;
    take(world, node, { kind: 'reconfigure', next });
    for (const { member } of world.epoch.members) giveUp(memberNode(world, member));
    troubleAll(world);
  },
  lie(world, node) {
    const others = world.nodes.filter((one) => one !== node).map(({ self }) => self.member);
    const number = node.state.electorate.number + pick(world.random, [1, 2, 9]);
    // The request id makes each false epoch unique.
    const epoch = { ...anyNext(world), number, tokens: [BigInt(nextId(world))] };
    sendByName(world, node, number, others, { kind: 'running', epoch });
  },
  edict(world) {
    const partition = anyPartition(world);
    const leader = leaderOf(world, partition);
    if (leader && leader.pausedUntil <= world.now)
      take(world, leader, { kind: 'edict', partition, id: nextId(world) });
  },
  verify(world, node) {
    const partition = anyPartition(world);
    const { member } = (leaderOf(world, partition) ?? pick(world.random, world.nodes)).self;
    take(world, node, { kind: 'verify', partition, member, id: nextId(world) });
  },
  look: judgeSpread,
  find(world, node) {
    const timeoutMs = about(world, world.scenario.leaseMs);
    const partition = anyPartition(world);
    take(world, node, { kind: 'find', partition, id: nextId(world), timeoutMs });
  },
};

/** Schedules the faults of a world. */
export const beginFaults: (world: World) => void = faultSchedule({
  faults,
  whilePaused: ['restart', 'amnesia'],
});

function judgeAll(world: World): void {
  for (let partition = 0; partition < world.scenario.partitions; partition += 1)
    judgeQuorum(world, partition);
}

function nextId(world: World): number {
  world.lastId += 1;
  return world.lastId;
}

function giveUp({ hosted }: Node): void {
  for (const { term } of hosted) term.givenUp = true;
}

/**
 * Stops a process. A process without durable grants stops only if the others compensate for its
 * memory loss.
 */
function stopFor(world: World, node: Node, lastsMs: number, keepsMemory: boolean): void {
  const { disk } = node;
  if (disk.keeps !== 'grants' && !mayForget(world, node)) return;
  stop(world, node);
  if (!keepsMemory) disk.memory = undefined;
  if (!keepsHardState(node)) disk.hardState = defined(world.first[node.config]);
  startLater(world, node, restartMs(world, lastsMs));
}

/** Stops a process and replaces the contents of its directory. */
function loseFor(world: World, node: Node, lastsMs: number, lose: (node: Node) => void): void {
  if (!mayLose(world, node) || !mayForget(world, node)) return;
  stop(world, node);
  lose(node);
  // The first life that learns of the loss may stop right after recording it. The next life then
  // does not learn of it.
  if (happens(world.random, 0.5)) {
    noteLoss(node);
    node.disk.saidLost = false;
  }
  startLater(world, node, restartMs(world, lastsMs));
}

/** Stops a process and restarts it with a random configuration and without durable state. */
export function redeploy(world: World, _content: undefined, node: Node): void {
  giveUp(node);
  stop(world, node);
  node.config = Math.floor(world.random.next() * world.first.length);
  node.disk.hardState = defined(world.first[node.config]);
  node.disk.memory = undefined;
  startLater(world, node, restartMs(world, outageMs(world, node)));
}

/** Returns the node that is `steps` further in the ring. */
function neighbour({ nodes }: World, { index }: Node, steps: number): Node {
  return defined(nodes[(index + steps + nodes.length) % nodes.length]);
}

type Next = Pick<Epoch, 'members' | 'quorums'>;

/**
 * Returns a random next epoch, if members with an intact directory form a quorum in it. Without
 * such a quorum the epoch could never end.
 */
function nextOf(world: World): Next | undefined {
  const next = anyNext(world);
  const { quorums, names } = electorateOf({ number: 0, tokens: [], ...next });
  return quorums.holds(membersWho(world, names, willBeBindable)) ? next : undefined;
}

/** Returns a random next epoch. Members may be new, lack a vote, or not stand for election. */
function anyNext({ random, nodes, scenario }: World): Next {
  const least = Math.max(2, scenario.nodes - 2);
  const count = Math.min(nodes.length, least + Math.floor(random.next() * 3));
  const names = nodes.map((_, index) => nameOf(index));
  const members: EpochMember[] = [];
  while (members.length < count) {
    const member = pick(random, names);
    if (members.some((one) => one.member === member)) continue;
    const isPlain = members.length < 3 || !happens(random, scenario.lesserShare);
    const lesser = pick(random, [{ votes: false }, { stands: false }]);
    members.push(isPlain ? { member } : { member, ...lesser });
  }
  const voters = members.filter(({ votes }) => votes !== false).map(({ member }) => member);
  return { members, quorums: pick(random, quorumsFor(voters)) };
}

function quorumsFor(voters: readonly string[]): readonly QuorumSpec[] {
  const weights = Object.fromEntries(voters.map((name, index) => [name, index === 0 ? 2 : 1]));
  const [first = '', ...others] = voters;
  const sets = [others, ...others.map((other) => [first, other])];
  const majority: QuorumSpec = { kind: 'majority' };
  return [majority, majority, { kind: 'weights', weights }, { kind: 'sets', sets }];
}
