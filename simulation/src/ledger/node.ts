import { type MemberConfig, newPartition, newPin } from '@leadership/core/internal/ledger';
import { driftedRate, localAt } from '../kernel/clock.ts';
import { noteEnded } from '../kernel/led-time.ts';
import { between, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { noBelief } from './host.ts';
import { believes, reignOf } from './judge.ts';
import { request } from './log-store.ts';
import { tellRanks } from './placement.ts';
import type { Scenario } from './scenario.ts';
import { endOf, type Log, type Node, type Reader, type World } from './world.ts';

/**
 * Returns the configuration of one life of a process. Written out, because reading an object that
 * was spread is slow.
 */
export function contender(
  scenario: Scenario,
  index: number,
  incarnation: string,
  jitter: number,
): MemberConfig {
  const {
    shape,
    asks,
    hasFloor = false,
    members,
    partitions,
    misconfigured,
    thresholdsMs,
    thresholdMsMax,
    driftRate,
  } = scenario;
  return {
    group: 'g',
    member: there(members[index]),
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
export function unborn(index: number, rules: Node['rules'], self: MemberConfig): Node {
  const clock = { rate: 1, base: 0, setAt: 0, wallOffsetMs: 0 };
  const at = localAt(clock, 0);
  const gone = {
    alive: false,
    polls: 0,
    rereads: new Set<number>(),
    life: 0,
    bornAt: 0,
    campaigning: true,
    pausedUntil: 0,
    readsCutUntil: 0,
    writesCutUntil: 0,
    writesDeniedUntil: 0,
    troubledUntil: 0,
  };
  const nothing = {
    partitions: [],
    beliefs: [],
    wakes: [],
    dues: [],
    readers: [],
    readTo: [],
    rested: [],
    foundAgain: [],
    seen: undefined,
  };
  return {
    index,
    rules,
    clock,
    self,
    pin: newPin(self, at),
    pinned: 'unknown',
    askedAt: at,
    ...gone,
    ...nothing,
  };
}

/** Starts a process, which knows only its configuration. */
export function start(world: World, node: Node): void {
  const { random, now, scenario, store } = world;
  const { clock, index } = node;
  Object.assign(clock, { rate: driftedRate(world), base: between(random, 0, 1e6), setAt: now });
  clock.wallOffsetMs = between(random, -scenario.wallOffsetMsMax, scenario.wallOffsetMsMax);
  const at = localAt(clock, now);
  const self = contender(
    scenario,
    index,
    `${node.self.member}${index}.${node.life}`,
    random.next(),
  );
  const born = {
    alive: true,
    campaigning: true,
    bornAt: now,
    pausedUntil: 0,
    readsCutUntil: 0,
    writesCutUntil: 0,
    troubledUntil: 0,
  };
  const lanes = store.registers.map(() => Number.POSITIVE_INFINITY);
  Object.assign(node, born, {
    self,
    pin: newPin(self, at),
    pinned: 'unknown',
    askedAt: at,
    rested: [],
    foundAgain: [],
    seen: undefined,
    wakes: lanes,
    dues: [...lanes],
    readTo: lanes.map(() => 0),
  });
  node.rereads.clear();
  node.partitions = Array.from({ length: self.partitions }, (_, partition) =>
    newPartition(self, partition, at),
  );
  node.beliefs = node.partitions.map(noBelief);
  node.readers = store.logs.map((log) => newReader(log, at));
  read(world, node);
  tellRanks(world);
}

/** Stops a process, which loses all its state. The placement detects it later. */
export function die(world: World, node: Node): void {
  node.beliefs.forEach((belief, partition) => {
    if (believes(world, node, belief)) noteEnded(reignOf(world.judge, partition), world.now);
  });
  node.alive = false;
  node.life += 1;
  soon(world, missedAfter * node.self.thresholdMs, {
    kind: 'missed',
    node: node.index,
    life: node.life,
    lane: 0,
    cargo: undefined,
  });
}

/**
 * Time until the placement detects a stopped process, in thresholds. Sessions last longer than
 * leases.
 */
const missedAfter = 3;

/**
 * Schedules the start of a new process in place of a stopped one. The new process inherits no
 * state.
 */
export function startLater(world: World, { index: node, life }: Node, ms: number): void {
  soon(world, ms, { kind: 'birth', node, life, lane: 0, cargo: undefined });
}

function newReader(log: Log, askedAt: Reader['askedAt']): Reader {
  return {
    position: log.start,
    epoch: log.epoch,
    replyEnd: endOf(log),
    waiting: false,
    unread: true,
    held: undefined,
    askedAt,
    asked: 0,
  };
}

function read(world: World, node: Node): void {
  const { index, life, readers } = node;
  if (world.scenario.shape === 'log')
    readers.forEach((reader, log) => request(world, node, log, there(reader)));
  else soon(world, 0, { kind: 'polled', node: index, life, lane: 0, cargo: undefined });
}
