import {
  driftRules,
  type Epoch,
  type HardState,
  type NerioRules,
  skewRules,
} from '@leadership/nerio/internal/protocol';
import { beyond, timesIn } from '../kernel/findings.ts';
import { leaderlessShare } from '../kernel/led-time.ts';
import { startAll } from '../kernel/process.ts';
import type { Counters, Protocol } from '../kernel/protocol.ts';
import { randomFrom } from '../kernel/random.ts';
import { newTimeline } from '../kernel/timeline.ts';
import { hostRules } from '../kernel/world.ts';
import { feed } from './engine.ts';
import { beginFaults, redeploy } from './faults.ts';
import { newNerioJudge } from './judge.ts';
import { mutantsOf } from './mutants.ts';
import { newNode, start } from './node.ts';
import { driverRules, type Overrides } from './rules.ts';
import { type Scenario, sized, usualSize } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { type Node, nameOf, type World } from './world.ts';

/** The simulation of one variant of Nerio. */
function nerio(clocks: Scenario['clocks']): Protocol<Scenario, World, Overrides> {
  return {
    name: `nerio-${clocks}`,
    usualSize,
    nodesMax: 9,
    scenarios: scenarios[clocks],
    alternates: true,
    mutants: mutantsOf(clocks),
    sized,
    newWorld,
    counters({ judge, now }) {
      const { doubleLeaders, tokenRegressions, needlessMoves, renewalGaps, records } = judge;
      const leaderless = { leaderlessShare: leaderlessShare(records, now) };
      return { doubleLeaders, tokenRegressions, ...leaderless, needlessMoves, renewalGaps };
    },
    beyond: crossedBounds,
    judgedAfterMs: ({ leaseMs }) => 1800 * leaseMs,
  };
}

/** Nerio with clocks of bounded drift, and with synchronised clocks. */
export const nerioDrift: Protocol<Scenario, World, Overrides> = nerio('drift');
export const nerioSkew: Protocol<Scenario, World, Overrides> = nerio('skew');

/** Returns a world before its first event. */
function newWorld(scenario: Scenario, seed: number, overrides: Overrides = {}): World {
  const { nodes: count, newcomers, voters, partitions, otherConfigs } = scenario;
  const { host, driver } = overrides;
  const rules = rulesWith(scenario, overrides);
  const usual = hardStateOf(count, voters);
  const nodes: Node[] = [];
  const world: World = {
    ...newTimeline(seed),
    scenario,
    hostRules: host ? { ...hostRules, ...host } : hostRules,
    driverRules: driver ? { ...driverRules, ...driver } : driverRules,
    random: randomFrom(seed),
    nodes,
    judge: newNerioJudge(partitions),
    feed,
    refused: redeploy,
    cutUntil: new Float64Array((count + newcomers) ** 2),
    first: [usual, ...otherConfigs.map(({ members }) => hardStateOf(members, members))],
    epoch: usual.epoch,
    lastId: 0,
  };
  for (let index = 0; index < count + newcomers; index += 1)
    nodes.push(newNode(scenario, rules, index, usual, world));
  startAll(world, scenario.leaseMs, start);
  beginFaults(world);
  return world;
}

/**
 * Worlds without overrides share the protocol's own rules, because an object that was spread is
 * slow to read.
 */
function rulesWith({ clocks }: Scenario, { rules }: Overrides): NerioRules {
  const usual = clocks === 'drift' ? driftRules : skewRules;
  return rules ? { ...usual, ...rules } : usual;
}

/** Returns the hard state of a group's start. */
function hardStateOf(count: number, voters: number): HardState {
  const members = Array.from({ length: count }, (_, index) =>
    index < voters ? { member: nameOf(index) } : { member: nameOf(index), votes: false },
  );
  const epoch: Epoch = { number: 0, members, quorums: { kind: 'majority' }, tokens: [] };
  return { epoch, wedge: undefined };
}

function crossedBounds({ scenario, now, judge }: World, counters: Counters): string[] {
  const { bounds, partitions, leaseMs } = scenario;
  const { leaderlessShare: leaderless, needlessMoves, renewalGaps } = counters;
  // Rare events are counted per hour, for leases of one second.
  const hours = (now / (3_600 * leaseMs)) * partitions;
  const shown = {
    leaderlessShare: leaderless,
    slowHandoverShare: judge.slowHandovers / Math.max(1, judge.handovers),
    vainShare: judge.vainMs / now,
    unevenShare: judge.unevenLooks / Math.max(1, judge.looks),
    sharingMoves: judge.sharingMoves,
    needlessMoves,
    renewalGaps,
  };
  return beyond(shown, {
    leaderlessShare: bounds.leaderlessShare,
    slowHandoverShare: bounds.slowHandoverShare,
    vainShare: bounds.vainShare,
    unevenShare: bounds.unevenShare,
    sharingMoves: timesIn(hours, bounds.sharingMovesPerHour),
    needlessMoves: timesIn(hours, bounds.needlessMovesPerHour),
    renewalGaps: timesIn(hours, bounds.renewalGapsPerHour),
  });
}
