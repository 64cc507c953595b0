import process from 'node:process';
import { nextTurn } from '@leadership/core/internal/engine';
import { leaseRules } from '@leadership/core/internal/sessions';
import { countersOf } from '../kernel/bounds.ts';
import { violation } from '../kernel/judge.ts';
import { overridden } from '../kernel/mutant.ts';
import { startAll } from '../kernel/process.ts';
import type { Protocol } from '../kernel/protocol.ts';
import { defined } from '../kernel/random.ts';
import { beginFaults } from '../rows/faults.ts';
import { worldOf } from '../rows/protocol.ts';
import { sized, usualSize } from '../rows/scenario.ts';
import { judgeBeliefs, judgeSettled } from './judge.ts';
import { close, kill, resign, scheduleCloses, start } from './member.ts';
import { mutants } from './mutants.ts';
import { scenarios } from './scenarios.ts';
import { seams } from './seams.ts';
import { Node, type Overrides, type Scenario, type World } from './world.ts';

/** The simulation of whole sources over rows. */
export const shell: Protocol<Scenario, World, Overrides> = {
  name: 'shell',
  usualSize,
  nodesMax: 9,
  scenarios,
  alternates: true,
  mutants,
  sized: (scenario, size) => ({ ...scenario, ...sized(scenario, size) }),
  newWorld,
  counters: countersOf,
  crossedBounds: () => [],
  judgedAfterMs: ({ thresholdMs, roughThresholds, calmThresholds }) =>
    (roughThresholds + calmThresholds) * thresholdMs,
  follow,
};

function newWorld(scenario: Scenario, seed: number, overrides: Overrides = {}): World {
  const nodes: Node[] = [];
  const nodeOf = ({ index }: { readonly index: number }): Node => defined(nodes[index]);
  const rows = worldOf(scenario, seed, overrides, {
    nodes,
    feed: (_world, node, input) => nodeOf(node).port.receive(input),
    members: {
      start: (node) => start(world, undefined, nodeOf(node)),
      kill: (node, awayMs, isProved) => kill(world, nodeOf(node), awayMs, isProved),
      close: (node) => close(world, nodeOf(node)),
      hasClosed: (node) => nodeOf(node).closing === 'done',
      resign: (node) => resign(world, nodeOf(node)),
      judgeSettled: () => judgeSettled(world),
    },
  });
  const led = Array.from({ length: scenario.partitions }, () => false);
  const world: World = Object.assign(rows, {
    scenario,
    nodes,
    seams: { ...seams, ...overrides.seams },
    judgedUntil: 0,
    led,
  });
  const rules = overridden(leaseRules, overrides.rules);
  for (let index = 0; index < scenario.nodes; index += 1)
    nodes.push(new Node(index, world, scenario.thresholdMs, rules));
  startAll(world, scenario.thresholdMs, start);
  beginFaults(world);
  scheduleCloses(world);
  return world;
}

/** Lets the sources do all that follows from an event, and judges them then. */
async function follow(world: World): Promise<void> {
  const rejected = (error: unknown): void =>
    violation(world, 'rejections', defined(world.nodes[0]), -1, `nobody handles ${String(error)}`);
  process.on('unhandledRejection', rejected);
  await nextTurn();
  process.off('unhandledRejection', rejected);
  judgeBeliefs(world);
}
