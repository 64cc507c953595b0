import { ledgerRules } from '@leadership/core/internal/ledger';
import { beyond, timesIn } from '../kernel/findings.ts';
import { newCommonJudge, newRecord } from '../kernel/judge.ts';
import { leaderlessShare } from '../kernel/led-time.ts';
import { startAll } from '../kernel/process.ts';
import type { Counters, Protocol } from '../kernel/protocol.ts';
import { randomFrom } from '../kernel/random.ts';
import { newTimeline } from '../kernel/timeline.ts';
import { hostRules } from '../kernel/world.ts';
import { feed } from './engine.ts';
import { beginFaults } from './faults.ts';
import { nodesIn, rulesWith } from './guard.ts';
import { logStore } from './log-store.ts';
import { mutants } from './mutants.ts';
import { newNode, start } from './node.ts';
import { registerStore } from './register-store.ts';
import { guardRules, type Overrides, storeRules } from './rules.ts';
import { type Scenario, sized, usualSize } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import type { Log, Node, Store, World } from './world.ts';

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
  counters({ judge, now }) {
    const { doubleLeaders, tokenRegressions, needlessMoves, renewalGaps, records } = judge;
    const share = leaderlessShare(records, now);
    return { doubleLeaders, tokenRegressions, leaderlessShare: share, needlessMoves, renewalGaps };
  },
  beyond: ({ now, scenario }, counters) => crossedBounds(scenario, now, counters),
  judgedAfterMs: () => 1800 * usualSize.thresholdMs,
};

function crossedBounds({ bounds, partitions }: Scenario, ms: number, counters: Counters): string[] {
  const hours = (ms / 3_600_000) * partitions;
  const { leaderlessShare: share, needlessMoves, renewalGaps } = counters;
  return beyond(
    { leaderlessShare: share, needlessMoves, renewalGaps },
    {
      leaderlessShare: bounds.leaderlessShare,
      needlessMoves: timesIn(hours, bounds.needlessMovesPerHour),
      renewalGaps: timesIn(hours, bounds.renewalGapsPerHour),
    },
  );
}

function newWorld(scenario: Scenario, seed: number, overrides: Overrides = {}): World {
  const { misconfigured, partitions, shape, thresholdMsMax } = scenario;
  const { host, store, guard, onlyNode } = overrides;
  const rules = rulesWith(scenario, overrides.rules);
  // Worlds without overrides share the protocol's own rules, because an object that was spread is
  // slow to read.
  const changed = rules ? { ...ledgerRules, ...rules } : ledgerRules;
  const lanes = Math.max(partitions, ...Object.values(misconfigured ?? {})) + 1;
  const records = Array.from({ length: lanes - 1 }, () => ({
    ...newRecord(),
    reservedUntil: 0,
    reservedBy: -1,
  }));
  const nodes: Node[] = [];
  const world: World = {
    ...newTimeline(seed),
    scenario,
    hostRules: host ? { ...hostRules, ...host } : hostRules,
    storeRules: store ? { ...storeRules, ...store } : storeRules,
    guardRules: guard ? { ...guardRules, ...guard } : guardRules,
    random: randomFrom(seed),
    nodes,
    store: newStore(scenario, lanes),
    storeKind: shape === 'log' ? logStore : registerStore,
    feed,
    judge: { ...newCommonJudge(), records },
    links: [],
    turns: Array.from({ length: partitions }, () => 0),
    ranks: [],
    rankedAt: 0,
  };
  for (let index = 0; index < nodesIn(scenario); index += 1) {
    const mine = onlyNode === undefined || index === onlyNode ? changed : ledgerRules;
    nodes.push(newNode(scenario, index, mine, world));
  }
  startAll(world, thresholdMsMax, start);
  beginFaults(world);
  return world;
}

/**
 * Creates the store. The pin has a log of its own. The partitions share one log, or have one log
 * each.
 */
function newStore({ sharedLog }: Scenario, lanes: number): Store {
  const ofPartitions = Array.from({ length: lanes - 1 }, (_, partition) => partition + 1);
  const shares = sharedLog ? [ofPartitions] : ofPartitions.map((lane) => [lane]);
  const logs = [[0], ...shares].map(
    (lanesOfLog, index): Log => ({ index, entries: [], start: 0, epoch: 0, lanes: lanesOfLog }),
  );
  const each = Array.from({ length: lanes }, (_, lane) => lane);
  return {
    floor: 0n,
    logs,
    logOf: each.map((lane) => logs.findIndex((log) => log.lanes.includes(lane))),
    registers: each.map(() => null),
    versions: each.map(() => []),
  };
}
