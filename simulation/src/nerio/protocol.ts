// Binds the worlds of Nerio to the kernel of the simulation: how a world of a scenario begins, and
// which mutants it must catch.
import {
  driftRules,
  type Epoch,
  type HardState,
  skewRules,
} from '@leadership/nerio/internal/protocol';
import { countersOf, crossedBounds, crossedLimits } from '../kernel/bounds.ts';
import { newJudge } from '../kernel/judge.ts';
import { overridden } from '../kernel/mutant.ts';
import { startAll } from '../kernel/process.ts';
import type { Counters, Protocol } from '../kernel/protocol.ts';
import { commonWorld } from '../kernel/world.ts';
import { feed } from './engine.ts';
import { beginFaults, redeploy } from './faults.ts';
import { mutantsOf } from './mutants.ts';
import { start } from './node.ts';
import { driverRules, type Overrides } from './rules.ts';
import { type Scenario, sized, usualSize } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { Node, nameOf, type World } from './world.ts';

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
    counters: countersOf,
    crossedBounds: crossedBoundsOf,
    judgedAfterMs: ({ leaseMs }) => 1800 * leaseMs,
  };
}

/** Nerio with clocks of bounded drift, and with synchronised clocks. */
export const nerioDrift: Protocol<Scenario, World, Overrides> = nerio('drift');
export const nerioSkew: Protocol<Scenario, World, Overrides> = nerio('skew');

/** Returns a world before its first event. */
function newWorld(scenario: Scenario, seed: number, overrides: Overrides = {}): World {
  const { clocks, nodes: count, newcomers, voters, partitions, otherConfigs } = scenario;
  const { host, driver, rules: changed } = overrides;
  const rules = overridden(clocks === 'drift' ? driftRules : skewRules, changed);
  const usual = hardStateOf(count, voters);
  const nodes: Node[] = [];
  const world: World = {
    ...commonWorld(scenario, seed, host),
    driverRules: overridden(driverRules, driver),
    nodes,
    judge: newJudge(partitions),
    tally: { edicts: 0, failedCampaignMs: 0 },
    edicts: Array.from({ length: partitions }, () => []),
    feed,
    refused: redeploy,
    cutUntil: new Float64Array((count + newcomers) ** 2),
    first: [usual, ...otherConfigs.map(({ members }) => hardStateOf(members, members))],
    epoch: usual.epoch,
    lastId: 0,
  };
  for (let index = 0; index < count + newcomers; index += 1)
    nodes.push(new Node(scenario, rules, index, usual, world));
  startAll(world, scenario.leaseMs, start);
  beginFaults(world);
  return world;
}

/** Returns the hard state of a group's start. */
function hardStateOf(count: number, voters: number): HardState {
  const members = Array.from({ length: count }, (_, index) =>
    index < voters ? { member: nameOf(index) } : { member: nameOf(index), votes: false },
  );
  const epoch: Epoch = { number: 0, members, quorums: { kind: 'majority' }, tokens: [] };
  return { epoch, wedge: undefined };
}

/** Returns the names of the counters that exceed their limits, those of Nerio alone included. */
function crossedBoundsOf(world: World, counters: Counters): string[] {
  const { scenario, now, tally } = world;
  const { bounds, partitions, leaseMs } = scenario;
  // Rare events are counted per hour, for leases of one second.
  const hours = (now / (3_600 * leaseMs)) * partitions;
  const own = { failedCampaignShare: tally.failedCampaignMs / now };
  const limits = { failedCampaignShare: bounds.failedCampaignShare };
  return [...crossedBounds(world, counters, bounds, hours), ...crossedLimits(own, limits)];
}
