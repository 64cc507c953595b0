// Starts and stops a simulated process that runs induction.
import { newInduction } from '@leadership/induction/internal/protocol';
import { hostedPartitions } from '../kernel/host.ts';
import { beginLife, endLife } from '../kernel/process.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { hostPort } from './engine.ts';
import { settleAll } from './judge.ts';
import { declines, heartbeat } from './membership.ts';
import { configOf, endOf, type Node, type World } from './world.ts';

/** Starts a process, which knows only its configuration. */
export function start(world: World, _content: undefined, node: Node): void {
  const { scenario, logs } = world;
  settleAll(world);
  beginLife(world, node, 1);
  node.incarnation = `${node.index}.${node.life}`;
  node.self = configOf(scenario, node.index, node.incarnation);
  node.readsCutUntil = 0;
  node.writesCutUntil = 0;
  // A restart gives no right back.
  node.coordinatorCutUntil = 0;
  node.starvedUntil = 0;
  node.partitions = logs.map((_, partition) => newInduction(node.self, partition));
  node.hosted = hostedPartitions(world, node, logs.length, hostPort);
  node.wakesAt = logs.map(() => Number.POSITIVE_INFINITY);
  node.positions = logs.map((log) => ({
    next: endOf(log),
    epoch: log.epoch,
    lateUntil: 0,
    steps: -1,
  }));
  node.provenOwn = logs.map(() => true);
  node.isWaiting = true;
  node.request = { sentAt: -1, beats: [] };
  node.generation = 0;
  node.joins = 0;
  node.joiningUntil = 0;
  node.declined = new Set();
  node.hasChanged = false;
  node.declines = declines(world, node);
  heartbeat(world, undefined, node);
}

/** Stops a process for a while. The next process inherits no state. The coordinator detects it later. */
export function stop(world: World, node: Node, ms: number): void {
  settleAll(world);
  endLife(node);
  scheduleFor(world, node, ms, start, undefined);
}
