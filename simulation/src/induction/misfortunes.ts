import { changeRate, driftedRate } from '../kernel/clock.ts';
import { between, happens, pick, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { about } from '../kernel/weather.ts';
import { rebalance, removed } from './coordinator.ts';
import { take, takeEach } from './engine.ts';
import { believes } from './host.ts';
import { settleAll } from './judge.ts';
import { leave } from './membership.ts';
import { die, startLater, wallOffsetMsMax } from './node.ts';
import type { MisfortuneKind } from './scenario.ts';
import type { Node, World } from './world.ts';

const minuteMs = 60_000;

/** Schedules the first faults of the scenario. */
export function beginMisfortunes(world: World): void {
  const { rhythm, thresholdMs } = world.scenario;
  if (rhythm.kind === 'one-by-one')
    return come(world, 10 * thresholdMs, pick(world.random, rhythm.of));
  for (const kind of Object.keys(rhythm.perMinute) as MisfortuneKind[]) again(world, kind);
}

/** Schedules the next fault, and applies one to a random node. */
export function misfortune(world: World, kind: MisfortuneKind): void {
  const { rhythm } = world.scenario;
  const node = pick(world.random, world.nodes);
  const lastsMs = outageMs(world);
  if (rhythm.kind === 'one-by-one')
    come(world, overAfterMs(world) + rhythm.restMs, pick(world.random, rhythm.of));
  else again(world, kind);
  const handles = node.pausedUntil <= world.now || kind === 'restart';
  if (node.alive && handles) misfortunes[kind](world, node, lastsMs);
}

/**
 * Returns the maximum duration of a fault. The longest one is a leave: the member drains, stops and
 * stays away.
 */
function overAfterMs({ scenario: { outage, thresholdMs } }: World): number {
  return 2 * outage[1] * thresholdMs;
}

function again(world: World, kind: MisfortuneKind): void {
  const { rhythm } = world.scenario;
  const times = rhythm.kind === 'free' ? (rhythm.perMinute[kind] ?? 0) : 0;
  if (times > 0) come(world, about(world, minuteMs / times), kind);
}

function come(world: World, ms: number, kind: MisfortuneKind): void {
  soon(world, ms, { kind: 'misfortune', node: 0, life: 0, lane: 0, cargo: kind });
}

const misfortunes: Readonly<
  Record<MisfortuneKind, (world: World, node: Node, lastsMs: number) => void>
> = {
  pause: (world, node, lastsMs) => {
    node.pausedUntil = world.now + lastsMs;
  },
  restart: (world, node, lastsMs) => {
    die(world, node);
    startLater(world, node, happens(world.random, 0.5) ? 0 : lastsMs);
  },
  leave: (world, node, lastsMs) => {
    campaign(world, node, false);
    soon(world, lastsMs, {
      kind: 'gone',
      node: node.index,
      life: node.life,
      lane: 0,
      cargo: undefined,
    });
  },
  cut: (world, node, lastsMs) => {
    const links = [
      happens(world.random, 0.5),
      happens(world.random, 0.5),
      happens(world.random, 0.5),
    ] as const;
    cut(world, node, lastsMs, links);
  },
  'cut-off': (world, node, lastsMs) => cut(world, node, lastsMs, [true, true, true]),
  uncoordinated: (world, node, lastsMs) => cut(world, node, lastsMs, [true, false, false]),
  mute: (world, node, lastsMs) => cut(world, node, lastsMs, [true, false, true]),
  starve: (world, node, lastsMs) => {
    node.starvedUntil = world.now + lastsMs;
    const becomesMs = between(world.random, 0, lastsMs);
    if (happens(world.random, 0.7)) cut(world, node, becomesMs, [true, false, true]);
  },
  move: (world, node) => {
    const group = there(world.groups[node.group]);
    group.wishes.set(partitionOf(world), node.self.incarnation);
    if (!group.rebalancing && world.now >= group.awayUntil) rebalance(world, group);
  },
  resign: (world, node) => {
    const led = node.beliefs
      .map((belief, partition) => (believes(world, node, belief) ? partition : -1))
      .filter((partition) => partition >= 0);
    const [first] = led;
    if (first !== undefined)
      take(world, node, first, { kind: 'resign', atLeastMs: about(world, node.self.thresholdMs) });
  },
  observe: (world, node) => campaign(world, node, !node.campaigning),
  evict: (world, node) => evict(world, node),
  expel: (world, node, lastsMs) => {
    evict(world, node);
    cut(world, node, lastsMs, [true, true, true]);
  },
  'delete-group': (world, node) => {
    const group = there(world.groups[node.group]);
    group.generation = 0;
    group.deletedAt = world.now;
    for (const incarnation of [...group.members.keys()]) removed(world, group, incarnation);
  },
  'coordinator-away': (world, node, lastsMs) => {
    there(world.groups[node.group]).awayUntil = world.now + lastsMs;
  },
  'new-broker': (world, _node, lastsMs) => {
    const log = there(world.logs[partitionOf(world)]);
    log.broker = Math.floor(between(world.random, 0, world.brokers.length));
    log.epoch += 1;
    log.downUntil =
      world.now + Math.min(lastsMs, leaderlessBrokerShare * world.scenario.thresholdMs);
  },
  drift: (world, node) => {
    settleAll(world);
    changeRate(node.clock, world.now, driftedRate(world));
  },
  'broker-drift': (world) =>
    changeRate(pick(world.random, world.brokers), world.now, driftedRate(world)),
  'wall-step': (world, node) => {
    node.clock.wallOffsetMs = between(world.random, -wallOffsetMsMax, wallOffsetMsMax);
  },
  'broker-step': (world) => {
    const index = Math.floor(between(world.random, 0, world.brokers.length));
    const [least, most] = world.scenario.brokerStepMs;
    const stepMs = between(world.random, least, most);
    there(world.brokers[index]).wallOffsetMs += happens(world.random, 0.5) ? stepMs : -stepMs;
    world.judge.steps[index] = there(world.judge.steps[index]) + 1;
  },
};

/** Maximum time for which a partition has no leading broker, as a fraction of T. */
const leaderlessBrokerShare = 0.2;

/** Stops a process that has left the group, and starts it again later. */
export function goneFor(world: World, node: Node): void {
  die(world, node);
  startLater(world, node, outageMs(world));
}

/** Breaks links of a member: to the coordinator, for reading, for writing. */
function cut(
  { now }: World,
  node: Node,
  ms: number,
  [coordinator, reads, writes]: readonly [boolean, boolean, boolean],
): void {
  if (coordinator) node.coordinatorCutUntil = now + ms;
  if (reads) node.readsCutUntil = now + ms;
  if (writes) node.writesCutUntil = now + ms;
}

function evict(world: World, node: Node): void {
  removed(world, there(world.groups[node.group]), node.self.incarnation);
}

function campaign(world: World, node: Node, on: boolean): void {
  node.campaigning = on;
  if (!on) leave(world, node);
  takeEach(world, node, () => ({ kind: 'campaign', on }));
  if (!on)
    takeEach(world, node, () => ({
      kind: 'assigned',
      mine: false,
      generation: undefined,
      alone: false,
    }));
}

function partitionOf({ random, scenario }: World): number {
  return Math.floor(between(random, 0, scenario.partitions));
}

function outageMs({ random, scenario: { outage, thresholdMs } }: World): number {
  return between(random, outage[0], outage[1]) * thresholdMs;
}
