// Binds the worlds of the ledger lease to the kernel of the simulation: how a world of a scenario
// begins, and which mutants it must catch.
import { ledgerRules } from '@leadership/core/internal/ledger';
import { countersOf, crossedBounds } from '../kernel/bounds.ts';
import { newHistory } from '../kernel/history-hash.ts';
import { newJudge } from '../kernel/judge.ts';
import { overridden } from '../kernel/mutant.ts';
import { startAll } from '../kernel/process.ts';
import type { Protocol } from '../kernel/protocol.ts';
import { newQueue } from '../kernel/queue.ts';
import { randomFrom } from '../kernel/random.ts';
import { hostRules } from '../kernel/world.ts';
import { guards } from '../relation/actions.ts';
import { feed } from './engine.ts';
import { beginFaults } from './faults.ts';
import { nodesIn, rulesWith } from './guard.ts';
import { logStore } from './log-store.ts';
import { mutants } from './mutants.ts';
import { start } from './node.ts';
import { registerStore } from './register-store.ts';
import { guardRules, type Overrides, storeRules } from './rules.ts';
import { type Scenario, sized, usualSize } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { type Log, Node, type Store, type World } from './world.ts';

/** The simulation of the ledger lease. */
export const ledger: Protocol<Scenario, World, Overrides> = {
  name: 'ledger',
  usualSize,
  nodesMax: 9,
  scenarios,
  alternates: true,
  mutants,
  sized,
  newWorld,
  counters: (world) => ({ ...countersOf(world), checkedSteps: world.judge.checked.steps }),
  crossedBounds: (world, counters) =>
    crossedBounds(world, counters, world.scenario.bounds, hoursOf(world)),
  judgedAfterMs: () => 1800 * usualSize.thresholdMs,
};

function hoursOf({ now, scenario }: World): number {
  return (now / 3_600_000) * scenario.partitions;
}

function newWorld(scenario: Scenario, seed: number, overrides: Overrides = {}): World {
  const { misconfigured, partitions, shape, thresholdMsMax } = scenario;
  const { host, store, guard, onlyNode } = overrides;
  const changed = overridden(ledgerRules, rulesWith(scenario, overrides.rules));
  const slots = Math.max(partitions, ...Object.values(misconfigured ?? {})) + 1;
  const nodes: Node[] = [];
  const world: World = {
    queue: newQueue(),
    now: 0,
    history: newHistory(seed),
    scenario,
    network: scenario.network,
    hostRules: overridden(hostRules, host),
    storeRules: overridden(storeRules, store),
    guardRules: overridden(guardRules, guard),
    random: randomFrom(seed),
    nodes,
    store: newStore(scenario, slots),
    storeKind: shape === 'log' ? logStore : registerStore,
    feed,
    judge: { ...newJudge(slots - 1), checked: guards.nothingChecked(), refuted: undefined },
    links: [],
    rotations: Array.from({ length: partitions }, () => 0),
    ranks: [],
    rankedAt: 0,
  };
  for (let index = 0; index < nodesIn(scenario); index += 1) {
    const mine = onlyNode === undefined || index === onlyNode ? changed : ledgerRules;
    nodes.push(new Node(scenario, index, mine, world));
  }
  startAll(world, thresholdMsMax, start);
  beginFaults(world);
  return world;
}

/**
 * Creates the store. The pin has a log of its own. The partitions share one log, or have one log
 * each.
 */
function newStore({ sharedLog }: Scenario, slots: number): Store {
  const ofPartitions = Array.from({ length: slots - 1 }, (_, partition) => partition + 1);
  const shares = sharedLog ? [ofPartitions] : ofPartitions.map((slot) => [slot]);
  const logs = [[0], ...shares].map(
    (slotsOfLog, index): Log => ({ index, entries: [], start: 0, epoch: 0, slots: slotsOfLog }),
  );
  const each = Array.from({ length: slots }, (_, slot) => slot);
  return {
    floor: 0n,
    logs,
    logOf: each.map((slot) => logs.findIndex((log) => log.slots.includes(slot))),
    registers: each.map(() => null),
    versions: each.map(() => []),
  };
}
