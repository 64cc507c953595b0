import { type ScuttlebuttRules, scuttlebuttRules } from '@leadership/scuttlebutt/internal/protocol';
import { beyond, timesIn } from '../kernel/findings.ts';
import { leaderlessShare } from '../kernel/led-time.ts';
import { startAll } from '../kernel/process.ts';
import type { Counters, Protocol } from '../kernel/protocol.ts';
import { randomFrom } from '../kernel/random.ts';
import { newTimeline } from '../kernel/timeline.ts';
import { hostRules } from '../kernel/world.ts';
import { beginFaults } from './faults.ts';
import { newGossipJudge } from './judge.ts';
import { mutants } from './mutants.ts';
import { newNode, start } from './node.ts';
import { type Scenario, sized, usualSize } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import type { Node, Overrides, World } from './world.ts';

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
  counters({ judge, now }) {
    const { doubleLeaders, tokenRegressions, needlessMoves, renewalGaps, records } = judge;
    const leaderless = { leaderlessShare: leaderlessShare(records, now) };
    return { doubleLeaders, tokenRegressions, ...leaderless, needlessMoves, renewalGaps };
  },
  beyond: crossedBounds,
  judgedAfterMs: ({ leaseMs }) => judgedThresholds * leaseMs,
};

/** A run of this number of P has shares and rates that mean something. */
const judgedThresholds = 300;

/** Returns a world before its first event. */
function newWorld(scenario: Scenario, seed: number, overrides: Overrides = {}): World {
  const { nodes: count, voters, partitions, leaseMs } = scenario;
  const { host, rules } = overrides;
  // An object that was spread is slow to read: without overrides the worlds share the rules.
  const all: ScuttlebuttRules = rules ? { ...scuttlebuttRules, ...rules } : scuttlebuttRules;
  const nodes: Node[] = [];
  const world: World = {
    ...newTimeline(seed),
    scenario,
    hostRules: host ? { ...hostRules, ...host } : hostRules,
    random: randomFrom(seed),
    nodes,
    judge: newGossipJudge(voters, partitions),
    cutUntil: new Float64Array(count ** 2),
    lastValue: 0,
  };
  for (let index = 0; index < count; index += 1)
    nodes.push(newNode(scenario, all, index, world, world.random));
  startAll(world, leaseMs, start);
  beginFaults(world);
  return world;
}

function crossedBounds({ scenario, now, judge }: World, counters: Counters): string[] {
  const { bounds, partitions, leaseMs } = scenario;
  const { leaderlessShare: leaderless, needlessMoves, renewalGaps } = counters;
  // Rare events are counted per hour, for a P of one second.
  const hours = (now / (3_600 * leaseMs)) * partitions;
  const shown = {
    leaderlessShare: leaderless,
    slowHandoverShare: judge.slowHandovers / Math.max(1, judge.handovers),
    needlessMoves,
    renewalGaps,
  };
  return beyond(shown, {
    leaderlessShare: bounds.leaderlessShare,
    slowHandoverShare: bounds.slowHandoverShare,
    needlessMoves: timesIn(hours, bounds.needlessMovesPerHour),
    renewalGaps: timesIn(hours, bounds.renewalGapsPerHour),
  });
}
