// A simulated process that runs the ledger lease: its state, its start and its stop.
import { type MemberConfig, newPartition, newPin } from '@leadership/core/internal/ledger';
import type { RealTime } from '../kernel/clock.ts';
import { hostedPartitions } from '../kernel/host.ts';
import { noteStopped } from '../kernel/judge.ts';
import { beginLife, endLife, newProcess } from '../kernel/process.ts';
import { there } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { hostPort } from './engine.ts';
import { died, guardName, join } from './guard.ts';
import { sendRanks } from './placement.ts';
import type { Scenario } from './scenario.ts';
import type { Node, World } from './world.ts';

/** Returns the configuration of one life of a process. */
function configOf(
  scenario: Scenario,
  index: number,
  incarnation: string,
  jitter: number,
): MemberConfig {
  const { shape, asks, hasFloor = false, members, partitions } = scenario;
  const { misconfigured, thresholdsMs, thresholdMsMax, driftRate } = scenario;
  // Written out, because reading an object that was spread is slow.
  return {
    group: 'g',
    member: members[index] ?? guardName,
    incarnation,
    partitions: misconfigured?.[index] ?? partitions,
    thresholdMs: there(thresholdsMs[index % thresholdsMs.length]),
    thresholdMsMax,
    driftRate,
    metadata: { node: String(index) },
    shape,
    asks,
    hasFloor,
    jitter,
  };
}

/** Returns a process that has not started. */
export function newNode(
  scenario: Scenario,
  index: number,
  rules: Node['rules'],
  time: RealTime,
): Node {
  const self = configOf(scenario, index, '', 0);
  const process = newProcess(index, time, self.thresholdMs);
  const at = process.clock.now();
  return {
    ...process,
    rules,
    link: undefined,
    self,
    readsCutUntil: 0,
    writesCutUntil: 0,
    writesDeniedUntil: 0,
    pin: newPin(self, at),
    pinned: 'unknown',
    askedAt: at,
    partitions: [],
    readers: [],
    readTo: [],
    rested: [],
    foundAgain: [],
    seen: undefined,
    polls: 0,
    rereads: new Set(),
  };
}

/** Starts a process, which knows only its configuration. */
export function start(world: World, _content: undefined, node: Node): void {
  const { random, scenario, store, storeKind } = world;
  beginLife(world, node, store.registers.length);
  const at = node.clock.now();
  const { index, life, self: before } = node;
  node.incarnation = `${before.member}${index}.${life}`;
  node.self = configOf(scenario, index, node.incarnation, random.next());
  node.readsCutUntil = 0;
  node.writesCutUntil = 0;
  node.pin = newPin(node.self, at);
  node.pinned = 'unknown';
  node.askedAt = at;
  node.readTo = store.registers.map(() => 0);
  node.rested = [];
  node.foundAgain = [];
  node.seen = undefined;
  node.rereads.clear();
  const { partitions } = node.self;
  node.partitions = Array.from({ length: partitions }, (_, of) => newPartition(node.self, of, at));
  node.hosted = hostedPartitions(world, node, partitions, hostPort);
  if (scenario.guard !== undefined) join(world, node);
  storeKind.begin(world, node);
  sendRanks(world);
}

/** Stops a process for a while. The next process inherits no state. The placement detects it later. */
export function stop(world: World, node: Node, ms: number): void {
  noteStopped(world, node);
  if (world.scenario.guard !== undefined) died(world, node);
  endLife(node);
  schedule(world, missedAfter * node.leaseMs, sendRanks, undefined);
  scheduleFor(world, node, ms, start, undefined);
}

/**
 * Time until the placement detects a stopped process, in thresholds. Sessions last longer than
 * leases.
 */
const missedAfter = 3;
