import {
  generationAt,
  type MemberConfig,
  newMember,
} from '@leadership/scuttlebutt/internal/protocol';
import type { RealTime } from '../kernel/clock.ts';
import { hostedPartitions } from '../kernel/host.ts';
import { noteStopped } from '../kernel/judge.ts';
import { beginLife, endLife, newProcess, wakeBy } from '../kernel/process.ts';
import { between, type Random } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { hostPort, wake } from './engine.ts';
import { electionShare, forgetThresholds, intervalShare, type Scenario } from './scenario.ts';
import { type Node, nameOf, type World } from './world.ts';

/** Members that every member knows from the start. */
const seedsMax = 3;

function configOf(scenario: Scenario, index: number): MemberConfig {
  const { nodes, voters, votersStand, partitions, leaseMs, driftRate } = scenario;
  const names = Array.from({ length: nodes }, (_, other) => nameOf(other));
  return {
    member: nameOf(index),
    voters: names.slice(0, voters),
    seeds: names.slice(0, seedsMax),
    partitions,
    isCandidate: votersStand || index >= voters,
    thresholdMs: leaseMs,
    driftRate,
    intervalMs: leaseMs * intervalShare,
    electionMs: leaseMs * electionShare,
    fanout: 2,
    budget: 1200,
    digestsMax: 8,
    forgetAfterMs: forgetThresholds * leaseMs,
    tombstoneMs: 5 * leaseMs,
    nodesMax: 1024,
    keysMax: 64,
    pin: 'pin',
  };
}

/** Returns a process that has not started. */
export function newNode(
  scenario: Scenario,
  rules: Node['rules'],
  index: number,
  time: RealTime,
  random: Random,
): Node {
  const { wallOffsetMsMax } = scenario;
  const process = newProcess(index, time, scenario.leaseMs);
  const config = configOf(scenario, index);
  return {
    ...process,
    rules,
    config,
    state: newMember(rules, config, { generation: 0, seed: 0 }, process.clock.moment()),
    wallOffsetMs: between(random, -wallOffsetMsMax, wallOffsetMsMax),
    isSuspended: false,
    stoppedAt: 0,
    lapsing: [],
    seen: new Map(),
  };
}

const seedMax = 2 ** 32;

/** Starts a process. It knows nothing but its configuration. */
export function start(world: World, _content: undefined, node: Node): void {
  const { random, scenario } = world;
  const { clock } = node;
  beginLife(world, node, 1);
  clock.wallOffsetMs = node.wallOffsetMs;
  node.incarnation = `${node.config.member}.${node.life}`;
  node.isSuspended = false;
  node.lapsing = [];
  node.seen.clear();
  const moment = clock.moment();
  const initial = {
    generation: generationAt(moment.wallMicros),
    seed: Math.floor(random.next() * seedMax),
  };
  node.state = newMember(node.rules, node.config, initial, moment);
  node.hosted = hostedPartitions(world, node, scenario.partitions, hostPort);
  wakeBy(world, node, 0, clock.now(), wake);
}

/** Stops a process, which loses all its state. */
export function stop(world: World, node: Node): void {
  noteStopped(world, node);
  endLife(node);
  node.stoppedAt = world.now;
}

/** Schedules the start of the next life of a process. */
export function startLater(world: World, node: Node, ms: number): void {
  scheduleFor(world, node, ms, start, undefined);
}
