import { changeRate, driftedRate } from '../kernel/clock.ts';
import { between, happens, pick, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { about } from '../kernel/weather.ts';
import { take } from './engine.ts';
import { die, startLater } from './node.ts';
import { tellRanks } from './placement.ts';
import type { FaultKind } from './scenario.ts';
import {
  carryUp,
  cutLog,
  deleteStore,
  goBack,
  loseConnection,
  loseTail,
  moveLog,
  strangerWrites,
} from './store-faults.ts';
import type { Node, World } from './world.ts';

/** Schedules the first fault of every kind in the scenario. */
export function beginFaults(world: World): void {
  for (const kind of Object.keys(world.scenario.perMinute) as FaultKind[]) again(world, kind);
}

/** Schedules the next fault of this kind, and applies one to a random node. */
export function fault(world: World, kind: FaultKind): void {
  again(world, kind);
  const node = pick(world.random, world.nodes);
  const handles = node.pausedUntil <= world.now || kind === 'restart';
  if (node.alive && handles) faults[kind](world, node);
}

function again(world: World, kind: FaultKind): void {
  const times = world.scenario.perMinute[kind] ?? 0;
  const restMs = kind === 'delete' || kind === 'wipe' ? betweenDeletionsMs(world) : 0;
  if (times > 0)
    soon(world, restMs + about(world, minuteMs / times), {
      kind: 'fault',
      node: 0,
      life: 0,
      lane: 0,
      cargo: kind,
    });
}

/**
 * Returns the minimum time between two deletions. An empty store looks the same after each
 * deletion: a reader that was cut off cannot distinguish two deletions from one. Every reader must
 * therefore read again, and wait, before the next deletion.
 */
function betweenDeletionsMs({ scenario }: World): number {
  return (
    scenario.outage[1] * Math.max(...scenario.thresholdsMs) +
    scenario.network.lateMsMax +
    3 * scenario.thresholdMsMax
  );
}

const minuteMs = 60_000;

/** Mean time for which the store denies the writes of one process: many times T. */
const deniedMs = 3 * minuteMs;

const faults: Readonly<Record<FaultKind, (world: World, node: Node) => void>> = {
  pause: (world, node) => {
    node.pausedUntil = troubled(world, node);
  },
  restart: (world, node) => stop(world, node, outageMs(world, node) * happensHalf(world)),
  leave: (world, node) => {
    campaign(world, node, false);
    const { index, life } = node;
    soon(world, outageMs(world, node), {
      kind: 'gone',
      node: index,
      life,
      lane: 0,
      cargo: undefined,
    });
  },
  cut: (world, node) => {
    const until = troubled(world, node);
    const which = world.random.next();
    if (which < 0.7) node.writesCutUntil = until;
    if (which > 0.3) node.readsCutUntil = until;
  },
  deny: (world, node) => {
    // One node at a time: if no node can write, no node can lead under any rules.
    if (world.nodes.some(({ writesDeniedUntil }) => writesDeniedUntil > world.now)) return;
    node.writesDeniedUntil = world.now + about(world, deniedMs);
    node.troubledUntil = Math.max(
      node.troubledUntil,
      node.writesDeniedUntil + 2 * node.self.thresholdMs,
    );
  },
  reconnect: loseConnection,
  move: moveLog,
  rebalance: (world) => {
    const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
    world.turns[partition] = there(world.turns[partition]) + 1;
    tellRanks(world);
  },
  resign: (world, node) => {
    const partition = Math.floor(between(world.random, 0, node.partitions.length));
    there(node.beliefs[partition]).givenUp = true;
    take(world, node, partition, {
      kind: 'resign',
      atLeastMs: about(world, node.self.thresholdMs),
    });
  },
  observe: (world, node) => campaign(world, node, !node.campaigning),
  drift: (world, node) => changeRate(node.clock, world.now, driftedRate(world)),
  'wall-step': (world, node) => {
    const { wallOffsetMsMax } = world.scenario;
    node.clock.wallOffsetMs = between(world.random, -wallOffsetMsMax, wallOffsetMsMax);
  },
  prune: cutLog,
  carry: carryUp,
  'lost-tail': loseTail,
  delete: deleteStore,
  wipe: (world) => {
    for (const one of world.nodes) if (one.alive) stop(world, one, outageMs(world, one));
    deleteStore(world);
  },
  'go-back': goBack,
  stranger: strangerWrites,
};

/** Stops a process that has left the group, and starts it again later. */
export function goneFor(world: World, node: Node): void {
  stop(world, node, outageMs(world, node));
}

function stop(world: World, node: Node, ms: number): void {
  die(world, node);
  startLater(world, node, ms);
}

function campaign(world: World, node: Node, on: boolean): void {
  node.campaigning = on;
  node.partitions.forEach((_, partition) => {
    there(node.beliefs[partition]).givenUp = !on;
    take(world, node, partition, { kind: 'campaign', on });
  });
  tellRanks(world);
}

function troubled(world: World, node: Node): number {
  const until = world.now + outageMs(world, node);
  node.troubledUntil = Math.max(node.troubledUntil, until + 2 * node.self.thresholdMs);
  return until;
}

function outageMs({ random, scenario: { outage } }: World, { self }: Node): number {
  return between(random, outage[0], outage[1]) * self.thresholdMs;
}

/** Returns 0 or 1: half of all restarts are immediate. */
function happensHalf({ random }: World): number {
  return happens(random, 0.5) ? 0 : 1;
}
