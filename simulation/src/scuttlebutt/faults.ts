// The faults that strike worlds of gossip: what each changes in the simulated world.
import {
  anyPartition,
  drift,
  type Fault,
  faultSchedule,
  restartMs,
  wallStep,
} from '../kernel/faults.ts';
import { cutLinks, divide, isolate, leaderOf, trouble } from '../kernel/links.ts';
import { about } from '../kernel/network.ts';
import { pick } from '../kernel/random.ts';
import { schedule } from '../kernel/timeline.ts';
import { deploy, deployApart, resignLeader } from './closing.ts';
import { feed } from './engine.ts';
import { crash, forgetTerm } from './forgetting.ts';
import { judgeSpread } from './judge.ts';
import { startLater, stop } from './node.ts';
import { judgeRoster, valueKey } from './roster-judge.ts';
import { type FaultKind, forgetThresholds } from './scenario.ts';
import { separate } from './separate.ts';
import { starve } from './starving.ts';
import type { Node, World } from './world.ts';

const faults: Readonly<Record<FaultKind, Fault<World, Node>>> = {
  pause(world, node, lastsMs) {
    node.pausedUntil = world.now + lastsMs;
    trouble(world, node);
  },
  suspend,
  restart(world, node, lastsMs) {
    if (!mayForget(world, node)) return;
    stop(world, node);
    startLater(world, node, restartMs(world, lastsMs));
  },
  deploy(world, node, lastsMs) {
    if (mayDeploy(world, node)) deploy(world, node, lastsMs);
  },
  'deploy-apart'(world, node, lastsMs) {
    if (mayDeploy(world, node)) deployApart(world, node, lastsMs);
  },
  'forget-term': (world, node) => forgetTerm(world, leaderOr(world, node)),
  wipe: (world) => crash(world, world.nodes.slice(0, world.scenario.voters)),
  'wipe-all': (world) => crash(world, world.nodes),
  leave(world, node) {
    if (node.index < world.scenario.voters) return;
    stop(world, node);
    startLater(world, node, about(world, awayTimes * forgetThresholds * node.leaseMs));
  },
  reconfigure(world, node) {
    if (!mayForget(world, node)) return;
    stop(world, node);
    const [usual, other] = node.configs;
    node.config = node.config === usual ? other : usual;
    startLater(world, node, 0);
  },
  misconfigure(world, node, lastsMs) {
    if (node.index < world.scenario.voters) return;
    stop(world, node);
    [, node.config] = node.configs;
    startLater(world, node, 0);
    schedule(world, lastsMs, correct, node);
  },
  partition: divide,
  isolate(world, node) {
    const way = pick(world.random, ['deaf', 'mute', 'tied'] as const);
    isolate(world, node, way, pick(world.random, world.nodes));
  },
  minority,
  deafen: (world, node) => isolate(world, leaderOr(world, node), 'deaf'),
  mute: (world, node) => isolate(world, leaderOr(world, node), 'mute'),
  shatter,
  starve(world, node) {
    const out = leaderOr(world, node);
    // During a shortage the dead member has forgotten already, and the deaf one is cut off.
    const isOver = world.cutUntil.every((until) => until <= world.now);
    if (isOver && mayForget(world, out)) starve(world, out);
  },
  resign: resignLeader,
  observe(world, node) {
    node.campaigning = !node.campaigning;
    for (const { term } of node.hosted) term.givenUp = true;
    feed(world, node, { kind: 'campaign', on: node.campaigning });
  },
  drift,
  'wall-step'(world, node) {
    wallStep(world, node);
    node.wallOffsetMs = node.clock.wallOffsetMs;
  },
  set(world, node) {
    world.lastValue += 1;
    feed(world, node, { kind: 'set', key: valueKey, value: `${world.lastValue}` });
  },
  look(world, node) {
    judgeRoster(world, node);
    judgeSpread(world);
  },
};

/** Schedules the faults of a world. */
export const beginFaults: (world: World) => void = faultSchedule({
  faults,
  whilePaused: ['restart', 'wipe', 'wipe-all', 'leave', 'reconfigure', 'misconfigure'],
  restMs: (world, kind) => (kind === 'wipe-all' ? wipeRestThresholds * world.scenario.leaseMs : 0),
});

/** The least time between two crashes of all members, in P: the partitions are shared by then. */
const wipeRestThresholds = 19;

/** A member gets the usual voters again. */
function correct(world: World, node: Node): void {
  [node.config] = node.configs;
  if (node.alive) stop(world, node);
  startLater(world, node, 0);
}

/** The mean absence of a member that leaves, in times of being forgotten. */
const awayTimes = 3;

/**
 * The machine sleeps. The clock of the process stops, which its host notices right after the
 * process resumes (H6): belief in between is stale by assumption, and is not judged.
 */
function suspend(world: World, node: Node, lastsMs: number): void {
  if (!mayForget(world, node)) return;
  node.pausedUntil = world.now + lastsMs;
  node.isSuspended = true;
  trouble(world, node);
  schedule(world, lastsMs, resume, { node, life: node.life, lastsMs });
}

interface Sleep {
  readonly node: Node;
  readonly life: number;
  readonly lastsMs: number;
}

function resume(world: World, { node, life, lastsMs }: Sleep): void {
  if (node.life !== life) return;
  node.clock.standStill(lastsMs);
  node.isSuspended = false;
  node.lapsing = [];
  // As the driver does, before any other input: the end of a term that drains is one.
  feed(world, node, { kind: 'clock-stopped' });
  for (const hosted of node.hosted) hosted.end('suspended');
}

/** Whether a voter can close in order now. */
function mayDeploy(world: World, node: Node): boolean {
  const isOut = node.index >= world.scenario.voters || node.state.election.hasClosed;
  return !isOut && mayForget(world, node);
}

/**
 * Whether the voters that remember all tokens stay more than a half without this one (T1). A voter
 * whose clock stopped starts again, so it forgets as well. One that has closed in order may not find
 * its witnesses.
 */
function mayForget({ nodes, scenario }: World, node: Node): boolean {
  if (scenario.mayForgetAll || node.index >= scenario.voters || node.state.isRefused) return true;
  const voters = nodes.slice(0, scenario.voters);
  const others = voters.filter((other) => other !== node);
  const forgetful = others.filter(({ alive, isSuspended, state: { election } }) => {
    const remembers = election.memory.remembers && !election.hasClosed;
    return !alive || isSuspended || !remembers;
  });
  return 2 * (forgetful.length + 1) < voters.length;
}

function leaderOr(world: World, node: Node): Node {
  return leaderOf(world, anyPartition(world)) ?? node;
}

/** Cuts off as many members as a majority can do without, and heals all other links. */
function minority(world: World): void {
  const { nodes, random } = world;
  const size = Math.floor((nodes.length - 1) / 2);
  const few = new Set<Node>();
  while (few.size < size) few.add(pick(random, nodes));
  separate(world, [...few]);
}

/** Cuts all pairs but neighbours in pairs, so that the voters pick several favorites. */
function shatter(world: World, _node: Node, lastsMs: number): void {
  cutLinks(world, lastsMs, (from, to) => from.index >> 1 !== to.index >> 1);
}
