import {
  type Epoch,
  type EpochMember,
  electorateOf,
  type QuorumSpec,
} from '@leadership/nerio/internal/protocol';
import { changeRate, driftedRate } from '../kernel/clock.ts';
import { between, happens, leaning, pick, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { about } from '../kernel/weather.ts';
import { copy, hang, keepsVows, noteLoss, restore, wipe } from './disk.ts';
import { take } from './engine.ts';
import { believes, judgeSpread } from './judge.ts';
import { memberNode, nameOf } from './names.ts';
import { tell } from './network.ts';
import { die, mayForget, mayLose, startLater, willBeBindable } from './node.ts';
import { judgeQuorum } from './quorum-judge.ts';
import type { FaultKind } from './scenario.ts';
import type { Node, World } from './world.ts';

/** Schedules the first fault of every kind in the scenario. */
export function beginFaults(world: World): void {
  for (const kind of Object.keys(world.scenario.perMinute) as FaultKind[]) again(world, kind);
}

/** Schedules the next fault of this kind, and applies one to a random node. */
export function fault(world: World, kind: FaultKind): void {
  again(world, kind);
  const node = pick(world.random, world.nodes);
  const handles = node.pausedUntil <= world.now || kind === 'restart' || kind === 'amnesia';
  if (node.alive && handles) faults[kind](world, node);
}

function again(world: World, kind: FaultKind): void {
  const times = world.scenario.perMinute[kind] ?? 0;
  if (times > 0)
    soon(world, about(world, minuteMs / times), { kind: 'fault', node: 0, life: 0, cargo: kind });
}

const minuteMs = 60_000;

const faults: Readonly<Record<FaultKind, (world: World, node: Node) => void>> = {
  pause: (world, node) => {
    node.pausedUntil = world.now + outageMs(world);
    trouble(world, node);
  },
  amnesia: (world, node) => stop(world, node, !mayForget(world, node)),
  restart: (world, node) => stop(world, node, true),
  redeploy,
  copy: (world, node) => copy(world, node),
  restore: (world, node) => {
    if (node.disk.copy !== undefined) loseTo(world, node, restore);
  },
  wipe: (world, node) => loseTo(world, node, () => wipe(node, there(world.first[node.config]))),
  hang: (world, node) => {
    hang(world, node, outageMs(world));
    trouble(world, node);
  },
  partition: (world) => divide(world),
  isolate: (world, node) => {
    const way = pick(world.random, ['deaf', 'mute', 'tied'] as const);
    isolate(
      world,
      node,
      way,
      (node.index + pick(world.random, [1, world.nodes.length - 1])) % world.nodes.length,
    );
  },
  deafen: (world, node) => isolate(world, anyLeaderOf(world) ?? node, 'deaf', -1),
  tie: (world, node) => {
    const leader = anyLeaderOf(world) ?? node;
    isolate(world, leader, 'tied', (leader.index + 1) % world.nodes.length);
  },
  resign: (world) => {
    const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
    const leader = leaderOf(world, partition);
    if (leader === undefined) return;
    there(leader.beliefs[partition]).givenUp = true;
    take(world, leader, {
      kind: 'resign',
      partition,
      atLeastMs: about(world, world.scenario.leaseMs),
    });
  },
  observe: (world, node) => {
    node.campaigning = !node.campaigning;
    if (!node.campaigning) for (const belief of node.beliefs) belief.givenUp = true;
    take(world, node, { kind: 'campaign', on: node.campaigning });
  },
  drift: (world, node) => {
    changeRate(node.clock, world.now, driftedRate(world));
    judgeAll(world);
  },
  'wall-step': (world, node) => {
    node.clock.wallOffsetMs = leaning(world.random) * world.scenario.wallOffsetMsMax;
    judgeAll(world);
  },
  reconfigure,
  lie: (world, node) => {
    const { number } = node.state.electorate;
    const others = world.nodes.filter((one) => one !== node).map(({ self }) => self.member);
    // The request id makes each false epoch unique.
    const epoch = {
      ...anyNext(world),
      number: number + pick(world.random, [1, 2, 9]),
      tokens: [BigInt(nextId(world))],
    };
    tell(world, node, epoch.number, others, { kind: 'running', epoch });
  },
  edict: (world) => {
    const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
    const leader = leaderOf(world, partition);
    if (leader && leader.pausedUntil <= world.now)
      take(world, leader, { kind: 'edict', partition, id: nextId(world) });
  },
  verify: (world, node) => {
    const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
    const other = leaderOf(world, partition) ?? pick(world.random, world.nodes);
    take(world, node, { kind: 'verify', partition, member: other.self.member, id: nextId(world) });
  },
  look: (world) => judgeSpread(world),
  find: (world, node) => {
    const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
    take(world, node, {
      kind: 'find',
      partition,
      id: nextId(world),
      patienceMs: about(world, world.scenario.leaseMs),
    });
  },
};

function judgeAll(world: World): void {
  for (let partition = 0; partition < world.scenario.partitions; partition += 1)
    judgeQuorum(world, partition);
}

function nextId(world: World): number {
  world.lastId += 1;
  return world.lastId;
}

function leaderOf(world: World, partition: number): Node | undefined {
  return world.nodes.find((node) => believes(world, node, there(node.beliefs[partition])));
}

function anyLeaderOf(world: World): Node | undefined {
  return leaderOf(world, Math.floor(between(world.random, 0, world.scenario.partitions)));
}

/**
 * Stops a process. A process without durable grants stops only if the others compensate for its
 * memory loss.
 */
function stop(world: World, node: Node, keepsMemory: boolean): void {
  if (node.disk.keeps !== 'grants' && !mayForget(world, node)) return;
  die(world, node);
  if (!keepsMemory) node.disk.memory = undefined;
  if (!keepsVows(node)) node.disk.vow = there(world.first[node.config]);
  startLater(world, node, happens(world.random, 0.5) ? 0 : outageMs(world));
}

/** Stops a process and replaces the contents of its directory. */
function loseTo(world: World, node: Node, lose: (node: Node) => void): void {
  if (!mayLose(world, node) || !mayForget(world, node)) return;
  die(world, node);
  lose(node);
  // The first life that learns of the loss may stop right after recording it. The next life is then
  // not told.
  if (happens(world.random, 0.5)) {
    noteLoss(node);
    node.disk.saidLost = false;
  }
  startLater(world, node, happens(world.random, 0.5) ? 0 : outageMs(world));
}

/** Stops a process and restarts it with a random configuration and without durable state. */
export function redeploy(world: World, node: Node): void {
  for (const belief of node.beliefs) belief.givenUp = true;
  die(world, node);
  node.config = Math.floor(between(world.random, 0, world.first.length));
  Object.assign(node.disk, { vow: there(world.first[node.config]), memory: undefined });
  startLater(world, node, happens(world.random, 0.5) ? 0 : outageMs(world));
}

/**
 * Reports the result of a connection attempt to the node: a peer with another configuration, or an
 * attempt that was made (R4).
 */
export function meet(world: World, node: Node, other: Node): void {
  const { cutUntil, nodes, now } = world;
  const isCut = (from: Node, to: Node): boolean =>
    (cutUntil[from.index * nodes.length + to.index] ?? 0) > now;
  const isMet = other.alive && !isCut(node, other) && !isCut(other, node);
  take(world, node, {
    kind: isMet && node.config !== other.config ? 'differs' : 'tried',
    member: other.self.member,
  });
}

function outageMs({ random, scenario: { outage, leaseMs } }: World): number {
  return between(random, outage[0], outage[1]) * leaseMs;
}

function trouble(world: World, node: Node): void {
  node.troubledUntil = Math.max(
    node.troubledUntil,
    world.now + (world.scenario.outage[1] + 2) * world.scenario.leaseMs,
  );
}

function troubleAll(world: World): void {
  for (const node of world.nodes) trouble(world, node);
}

/** Splits the network into two sides, in both directions or in one. */
function divide(world: World): void {
  const { random, nodes, now } = world;
  const until = now + outageMs(world);
  const side = nodes.map(() => random.next() < 0.5);
  const isOneWay = happens(random, 0.4);
  for (const from of nodes) {
    for (const to of nodes) {
      const isAcross = side[from.index] !== side[to.index];
      if (isAcross && !(isOneWay && side[from.index])) cut(world, from, to, until);
    }
  }
  troubleAll(world);
}

/**
 * Isolates a member: it receives nothing, sends nothing, or communicates with one neighbour only.
 */
function isolate(world: World, node: Node, way: 'deaf' | 'mute' | 'tied', neighbour: number): void {
  const until = world.now + outageMs(world);
  for (const other of world.nodes) {
    if (other === node || (way === 'tied' && other.index === neighbour)) continue;
    if (way !== 'mute') cut(world, other, node, until);
    if (way !== 'deaf') cut(world, node, other, until);
  }
  troubleAll(world);
}

function cut(world: World, from: Node, to: Node, until: number): void {
  world.cutUntil[from.index * world.nodes.length + to.index] = until;
}

/**
 * Requests a random change of members and of their quorum system. Members may be new, lack a
 * vote, or not stand for election.
 */
function reconfigure(world: World, node: Node): void {
  if (!keepsVows(node)) return;
  const next = nextOf(world);
  if (next === undefined) return;
  take(world, node, { kind: 'reconfigure', next });
  for (const { member } of world.epoch.members)
    for (const belief of memberNode(world, member).beliefs) belief.givenUp = true;
  troubleAll(world);
}

type Next = Pick<Epoch, 'members' | 'quorums'>;

/**
 * Returns a random next epoch, if members with an intact directory form a quorum in it. Without
 * such a quorum the epoch could never end.
 */
function nextOf(world: World): Next | undefined {
  const next = anyNext(world);
  const { quorums, names } = electorateOf({ number: 0, tokens: [], ...next });
  const keepers = names.reduce(
    (set, name, index) => (willBeBindable(memberNode(world, name)) ? set | (1 << index) : set),
    0,
  );
  return quorums.holds(keepers) ? next : undefined;
}

function anyNext({ random, nodes, scenario }: World): Next {
  const count = Math.min(
    nodes.length,
    Math.max(2, scenario.nodes - 2) + Math.floor(random.next() * 3),
  );
  const names = nodes.map((_, index) => nameOf(index));
  const members: EpochMember[] = [];
  while (members.length < count) {
    const member = pick(random, names);
    if (members.some((one) => one.member === member)) continue;
    const isPlain = members.length < 3 || !happens(random, scenario.lesserShare);
    const less = [
      { member, votes: false },
      { member, stands: false },
    ];
    members.push(isPlain ? { member } : pick(random, less));
  }
  const voters = members.filter(({ votes }) => votes !== false).map(({ member }) => member);
  return { members, quorums: pick(random, quorumsFor(voters)) };
}

function quorumsFor(voters: readonly string[]): readonly QuorumSpec[] {
  const weights = Object.fromEntries(voters.map((name, index) => [name, index === 0 ? 2 : 1]));
  const [first = '', ...others] = voters;
  const sets = [others, ...others.map((other) => [first, other])];
  return [
    { kind: 'majority' },
    { kind: 'majority' },
    { kind: 'weights', weights },
    { kind: 'sets', sets },
  ];
}
