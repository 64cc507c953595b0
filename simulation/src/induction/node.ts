// A simulated process that runs induction: its state, its start and its stop.
import { type MemberConfig, newInduction } from '@leadership/core/internal/induction';
import type { RealTime } from '../kernel/clock.ts';
import { hostedPartitions } from '../kernel/host.ts';
import { beginLife, endLife, newProcess } from '../kernel/process.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { hostPort } from './engine.ts';
import { settleAll } from './judge.ts';
import { heartbeat } from './membership.ts';
import type { Scenario } from './scenario.ts';
import { endOf, type Node, type World } from './world.ts';

/** Returns the configuration of one life of a process. */
function configOf(scenario: Scenario, index: number, incarnation: string): MemberConfig {
  const { groups, partitions, thresholdMs, driftRate, promise, beats, beatMs, numbered } = scenario;
  return {
    group: `g${index % groups}`,
    member: `m${index}`,
    incarnation,
    partitions,
    thresholdMs,
    driftRate,
    metadata: { node: String(index) },
    promise,
    beats,
    beatMs: groups * beatMs,
    numbered: numbered !== 'never',
  };
}

/** Returns a process that has not started. */
export function newNode(scenario: Scenario, index: number, time: RealTime): Node {
  return {
    ...newProcess(index, time, scenario.thresholdMs),
    group: index % scenario.groups,
    readsCutUntil: 0,
    writesCutUntil: 0,
    coordinatorCutUntil: 0,
    starvedUntil: 0,
    self: configOf(scenario, index, ''),
    partitions: [],
    wakesAt: [],
    positions: [],
    provenOwn: [],
    isWaiting: true,
    request: { sentAt: -1, beats: [] },
    generation: 0,
    joins: 0,
    joiningUntil: 0,
    declined: new Set(),
  };
}

/** Starts a process, which knows only its configuration. */
export function start(world: World, _content: undefined, node: Node): void {
  const { scenario, logs } = world;
  settleAll(world);
  beginLife(world, node, 1);
  node.incarnation = `${node.index}.${node.life}`;
  node.self = configOf(scenario, node.index, node.incarnation);
  node.readsCutUntil = 0;
  node.writesCutUntil = 0;
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
  node.declined.clear();
  heartbeat(world, undefined, node);
}

/** Stops a process for a while. The next process inherits no state. The coordinator detects it later. */
export function stop(world: World, node: Node, ms: number): void {
  settleAll(world);
  endLife(node);
  scheduleFor(world, node, ms, start, undefined);
}
