// Binds the worlds of induction to the kernel of the simulation: how a world of a scenario begins,
// and which mutants it must catch.
import { inductionRules } from '@leadership/induction/internal/protocol';
import { crossedLimits } from '../kernel/bounds.ts';
import { DriftingClock, type RealTime } from '../kernel/clock.ts';
import { overridden } from '../kernel/mutant.ts';
import { startAll } from '../kernel/process.ts';
import type { Counters, Protocol } from '../kernel/protocol.ts';
import { between, type Random } from '../kernel/random.ts';
import { commonWorld } from '../kernel/world.ts';
import { newGroup } from './coordinator.ts';
import { arm, step } from './engine.ts';
import { beginFaults } from './faults.ts';
import { leaderlessShare, newJudge, settleAll } from './judge.ts';
import { assigned, rejoin } from './membership.ts';
import { mutants } from './mutants.ts';
import { start } from './node.ts';
import { type Overrides, type Scenario, sized, usualSize } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { type Broker, Node, type World } from './world.ts';

/** The simulation of NELI: leadership induced from a broker's assignment. */
export const induction: Protocol<Scenario, World, Overrides> = {
  name: 'induction',
  usualSize,
  nodesMax: 9,
  scenarios,
  alternates: false,
  mutants,
  sized,
  newWorld,
  counters(world) {
    settleAll(world);
    const { doubleLeaders, knownDoubleLeaders, tokenRegressions, needlessMoves } = world.judge;
    const { renewalGaps, longestOverlapMs, longestGapMs } = world.judge;
    return {
      doubleLeaders,
      knownDoubleLeaders,
      tokenRegressions,
      needlessMoves,
      renewalGaps,
      longestOverlapMs,
      longestGapMs,
      leaderlessShare: leaderlessShare(world),
    };
  },
  crossedBounds: ({ scenario }, { leaderlessShare: share }: Counters) =>
    crossedLimits({ leaderlessShare: share }, { leaderlessShare: scenario.leaderlessShareMax }),
  judgedAfterMs: () => 600_000,
};

function newWorld(scenario: Scenario, seed: number, overrides?: Overrides): World {
  const { nodes: count, partitions, groups, brokers, thresholdMs } = scenario;
  const each = <Item>(length: number, item: (index: number) => Item): Item[] =>
    Array.from({ length }, (_, index) => item(index));
  const nodes: Node[] = [];
  const brokersOfWorld: Broker[] = [];
  const world: World = {
    ...commonWorld(scenario, seed),
    rules: overridden(inductionRules, overrides?.rules),
    nodes,
    brokers: brokersOfWorld,
    logs: each(partitions, (partition) => ({
      entries: [],
      start: 0,
      broker: partition % brokers,
      epoch: 0,
      downUntil: 0,
    })),
    groups: each(groups, (index) => newGroup(index, partitions)),
    judge: newJudge(scenario),
    member: { step, arm, assigned, rejoin },
  };
  nodes.push(...each(count * groups, (index) => new Node(scenario, index, world)));
  brokersOfWorld.push(...each(brokers, () => newBroker(scenario, world.random, world)));
  startAll(world, thresholdMs, start);
  beginFaults(world);
  return world;
}

function newBroker(
  { driftRate, brokerOffsetMsMax }: Scenario,
  random: Random,
  time: RealTime,
): Broker {
  const clock = new DriftingClock(time);
  clock.drift(random, driftRate);
  clock.wallOffsetMs = between(random, 0, 2 * brokerOffsetMsMax);
  return { clock, steps: 0 };
}
