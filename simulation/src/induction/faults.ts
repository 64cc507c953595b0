// The faults that strike worlds of induction: what each changes in the simulated world.
import {
  anyPartition,
  drift,
  type Fault,
  faultSchedule,
  outageMs,
  restartMs,
  wallStep,
} from '../kernel/faults.ts';
import { about } from '../kernel/network.ts';
import { between, defined, happens, pick } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { rebalance, remove } from './coordinator.ts';
import { take } from './engine.ts';
import { judgeResignation, judgeReturn, settleAll } from './judge.ts';
import { answerWaiting } from './logs.ts';
import { leave, stepEach } from './membership.ts';
import { stop } from './node.ts';
import type { FaultKind } from './scenario.ts';
import type { Group, Node, World } from './world.ts';

const faults: Readonly<Record<FaultKind, Fault<World, Node>>> = {
  pause(world, node, lastsMs) {
    node.pausedUntil = world.now + lastsMs;
  },
  restart: (world, node, lastsMs) => stop(world, node, restartMs(world, lastsMs)),
  leave(world, node, lastsMs) {
    campaign(world, node, false);
    scheduleFor(world, node, lastsMs, left, undefined);
  },
  cut({ now, random }, node, lastsMs) {
    if (happens(random, 0.5)) node.coordinatorCutUntil = now + lastsMs;
    if (happens(random, 0.5)) node.readsCutUntil = now + lastsMs;
    if (happens(random, 0.5)) node.writesCutUntil = now + lastsMs;
  },
  'cut-off': cutOff,
  uncoordinated({ now }, node, lastsMs) {
    node.coordinatorCutUntil = now + lastsMs;
  },
  mute,
  'cannot-write': cannotWrite,
  'none-can-write': noneCanWrite,
  starve(world, node, lastsMs) {
    node.starvedUntil = world.now + lastsMs;
    const mutedMs = between(world.random, 0, lastsMs);
    if (happens(world.random, 0.7)) mute(world, node, mutedMs);
  },
  move(world, node) {
    const group = groupOf(world, node);
    group.requestedMoves.set(anyPartition(world), node.incarnation);
    if (!group.rebalancing && world.now >= group.awayUntil) rebalance(world, group);
  },
  resign: (world, node) => resign(world, node, about(world, node.leaseMs)),
  'resign-briefly': (world, node) => resign(world, node, 0),
  observe: (world, node) => campaign(world, node, !node.campaigning),
  evict,
  expel(world, node, lastsMs) {
    evict(world, node);
    cutOff(world, node, lastsMs);
  },
  'delete-group'(world, node) {
    const group = groupOf(world, node);
    group.generation = 0;
    group.deletedAt = world.now;
    for (const incarnation of [...group.sessions.keys()]) remove(world, group, incarnation);
  },
  'coordinator-away'(world, node, lastsMs) {
    groupOf(world, node).awayUntil = world.now + lastsMs;
  },
  'new-broker'(world, _node, lastsMs) {
    const log = defined(world.logs[anyPartition(world)]);
    const downMs = Math.min(lastsMs, downShare * world.scenario.thresholdMs);
    log.broker = Math.floor(world.random.next() * world.brokers.length);
    log.epoch += 1;
    log.downUntil = world.now + downMs;
    schedule(world, downMs, answerWaiting, undefined);
  },
  drift(world, node) {
    settleAll(world);
    drift(world, node);
  },
  'broker-drift'({ random, brokers, scenario }) {
    pick(random, brokers).clock.drift(random, scenario.driftRate);
  },
  'wall-step': wallStep,
  'broker-step'({ random, brokers, scenario }) {
    const broker = pick(random, brokers);
    const [least, most] = scenario.brokerStepMs;
    const stepMs = between(random, least, most);
    broker.clock.wallOffsetMs += happens(random, 0.5) ? stepMs : -stepMs;
    broker.steps += 1;
  },
};

/** Schedules the faults of a world. */
export const beginFaults: (world: World) => void = faultSchedule({
  faults,
  whilePaused: ['restart'],
});

/** Maximum time for which a partition has no leading broker, as a fraction of T. */
const downShare = 0.2;

function groupOf({ groups }: World, { group }: Node): Group {
  return defined(groups[group]);
}

function resign(world: World, node: Node, atLeastMs: number): void {
  const led = node.hosted.find((hosted) => hosted.leads());
  if (led === undefined) return;
  take(world, node, led.partition, { kind: 'resign', atLeastMs });
  judgeResignation(world, node, led);
}

function left(world: World, _content: undefined, node: Node): void {
  stop(world, node, outageMs(world, node));
}

function mute({ now }: World, node: Node, lastsMs: number): void {
  node.coordinatorCutUntil = now + lastsMs;
  node.writesCutUntil = now + lastsMs;
}

function cannotWrite(world: World, node: Node, lastsMs: number): void {
  node.writesRefusedUntil = world.now + lastsMs;
  judgeReturn(world, node, lastsMs);
}

function noneCanWrite(world: World, node: Node, lastsMs: number): void {
  const group = groupOf(world, node);
  for (const one of world.nodes) if (one.group === node.group) cannotWrite(world, one, lastsMs);
  group.refusedUntil = world.now + lastsMs;
  group.refusedRebalances = 0;
}

function cutOff(world: World, node: Node, lastsMs: number): void {
  mute(world, node, lastsMs);
  node.readsCutUntil = world.now + lastsMs;
}

function evict(world: World, node: Node): void {
  remove(world, groupOf(world, node), node.incarnation);
}

function campaign(world: World, node: Node, on: boolean): void {
  node.campaigning = on;
  if (!on) leave(world, node);
  stepEach(world, node, () => ({ kind: 'campaign', on }));
  if (on) return;
  const none = { kind: 'assigned', mine: false, generation: undefined, alone: false } as const;
  stepEach(world, node, () => none);
}
