// Binds the worlds of gossip to the kernel of the simulation: how a world of a scenario begins, and
// which mutants it must catch.
import { scuttlebuttRules } from '@leadership/scuttlebutt/internal/protocol';
import { countersOf, crossedBounds } from '../kernel/bounds.ts';
import { newJudge } from '../kernel/judge.ts';
import { overridden } from '../kernel/mutant.ts';
import { startAll } from '../kernel/process.ts';
import type { Protocol } from '../kernel/protocol.ts';
import { commonWorld } from '../kernel/world.ts';
import { beginFaults } from './faults.ts';
import { mutants } from './mutants.ts';
import { start } from './node.ts';
import { reaches, type Scenario, sized, usualSize } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { Node, type Overrides, type World } from './world.ts';

/** The simulation of Scuttlebutt. */
export const scuttlebutt: Protocol<Scenario, World, Overrides> = {
  name: 'scuttlebutt',
  usualSize,
  nodesMax: 300,
  scenarios,
  alternates: true,
  mutants,
  sized,
  newWorld,
  counters: countersOf,
  crossedBounds: (world, counters) =>
    crossedBounds(world, counters, world.scenario.bounds, hoursOf(world)),
  judgedAfterMs: ({ leaseMs, judgedThresholds = usualJudgedThresholds }) =>
    judgedThresholds * leaseMs,
};

/** A run of this number of P has shares and rates that mean something. */
const usualJudgedThresholds = 300;

/** Returns a world before its first event. */
function newWorld(scenario: Scenario, seed: number, overrides: Overrides = {}): World {
  const { nodes: count, partitions, leaseMs } = scenario;
  const { host, rules } = overrides;
  const all = overridden(scuttlebuttRules, rules);
  const nodes: Node[] = [];
  const world: World = {
    ...commonWorld(scenario, seed, host),
    nodes,
    judge: newJudge(partitions),
    votes: Array.from({ length: count }, () => Array.from({ length: partitions }, () => [])),
    cutUntil: new Float64Array(count ** 2),
    lastValue: 0,
  };
  for (let index = 0; index < count; index += 1)
    nodes.push(new Node(scenario, all, index, { time: world, random: world.random, overrides }));
  cutForGood(world);
  startAll(world, leaseMs, start);
  beginFaults(world);
  return world;
}

/** Cuts the links between members that never communicate directly. */
function cutForGood({ scenario, nodes, cutUntil }: World): void {
  for (const { index: from } of nodes)
    for (const { index: to } of nodes)
      if (!reaches(scenario, from, to))
        cutUntil[from * nodes.length + to] = Number.POSITIVE_INFINITY;
}

/** Rare events are counted per hour, for a P of one second. */
function hoursOf({ scenario, now }: World): number {
  return (now / (3_600 * scenario.leaseMs)) * scenario.partitions;
}
