import { type MemberConfig, newInduction } from '@leadership/core/internal/induction';
import { driftedRate } from '../kernel/clock.ts';
import { between } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { noBelief } from './host.ts';
import { settleAll } from './judge.ts';
import { newReader } from './logs.ts';
import { heartbeat } from './membership.ts';
import type { InductionScenario } from './scenario.ts';
import type { Node, World } from './world.ts';

/** Returns the configuration of one life of a process. */
function inductee(scenario: InductionScenario, index: number, incarnation: string): MemberConfig {
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
export function unborn(scenario: InductionScenario, index: number): Node {
  const self = inductee(scenario, index, '');
  const clock = { rate: 1, base: 0, setAt: 0, wallOffsetMs: 0 };
  return {
    index,
    group: index % scenario.groups,
    clock,
    life: 0,
    alive: false,
    campaigning: true,
    pausedUntil: 0,
    readsCutUntil: 0,
    writesCutUntil: 0,
    coordinatorCutUntil: 0,
    starvedUntil: 0,
    self,
    partitions: [],
    beliefs: [],
    readers: [],
    wakes: [],
    dues: [],
    provenOwn: [],
    generation: 0,
    joins: 0,
    joiningUntil: 0,
    declined: new Set(),
  };
}

/** Starts a process, which knows only its configuration. */
export function start(world: World, node: Node): void {
  const { random, now, scenario, logs } = world;
  settleAll(world);
  Object.assign(node.clock, {
    rate: driftedRate(world),
    base: between(random, 0, 1e6),
    setAt: now,
  });
  node.clock.wallOffsetMs = between(random, -wallOffsetMsMax, wallOffsetMsMax);
  node.self = inductee(scenario, node.index, `${node.index}.${node.life}`);
  node.alive = true;
  node.campaigning = true;
  node.pausedUntil = now;
  node.readsCutUntil = now;
  node.writesCutUntil = now;
  node.coordinatorCutUntil = now;
  node.starvedUntil = now;
  node.generation = 0;
  node.joins = 0;
  node.joiningUntil = 0;
  node.declined.clear();
  node.partitions = logs.map((_, partition) => newInduction(node.self, partition));
  node.beliefs = logs.map(noBelief);
  node.readers = logs.map(newReader);
  node.wakes = logs.map(() => Number.POSITIVE_INFINITY);
  node.dues = logs.map(() => Number.POSITIVE_INFINITY);
  node.provenOwn = logs.map(() => true);
  heartbeat(world, node);
}

/**
 * Maximum offset of the members' wall clocks, in either direction: an hour. No guarantee depends on
 * them.
 */
export const wallOffsetMsMax = 3_600_000;

/** Stops a process, which loses all its state. The coordinator detects it later. */
export function die(world: World, node: Node): void {
  settleAll(world);
  node.alive = false;
  node.life += 1;
}

/**
 * Schedules the start of a new process in place of a stopped one. The new process inherits no
 * state.
 */
export function startLater(world: World, { index: node, life }: Node, ms: number): void {
  soon(world, ms, { kind: 'birth', node, life, lane: 0, cargo: undefined });
}
