import { leaseRules, logRules } from '@leadership/core/internal/sessions';
import { countersOf, crossedLimits } from '../kernel/bounds.ts';
import { overridden } from '../kernel/mutant.ts';
import { startAll } from '../kernel/process.ts';
import type { Counters, Protocol } from '../kernel/protocol.ts';
import { commonWorld, Process } from '../kernel/world.ts';
import { noteLeaving } from './bounded.ts';
import { feed } from './engine.ts';
import { beginFaults } from './faults.ts';
import { endProcess, guardRules, join } from './guard.ts';
import { judgeSettled, newJudge, noteOwner } from './judge.ts';
import { WorldLog } from './log.ts';
import { mutants, type Overrides } from './mutants.ts';
import { kill, start, startLater } from './node.ts';
import { type Scenario, sized, usualSize } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import {
  type Members,
  Node,
  type OwnerRecord,
  RecordedStore,
  storeRules,
  type World,
} from './world.ts';

/** The simulation of leases by session over rows. */
export const rows: Protocol<Scenario, World, Overrides> = {
  name: 'rows',
  usualSize,
  nodesMax: 9,
  scenarios,
  alternates: true,
  mutants,
  sized,
  newWorld,
  counters: (world) => ({ ...countersOf(world), checkedSteps: world.judge.checked.steps }),
  crossedBounds,
  judgedAfterMs: ({ thresholdMs }) => 1800 * thresholdMs,
};

/** Returns the names of the counters above their limits. Those of moves and gaps are for each partition. */
function crossedBounds({ scenario, now }: World, counters: Counters): readonly string[] {
  const { leaderlessShareMax, bounds = {}, partitions } = scenario;
  const { leaderlessShare: share, needlessMoves, renewalGaps } = counters;
  const most = (perHour: number | undefined): number | undefined =>
    perHour === undefined ? undefined : Math.ceil((perHour * partitions * now) / hourMs);
  return crossedLimits(
    { leaderlessShare: share, needlessMoves, renewalGaps },
    {
      leaderlessShare: leaderlessShareMax,
      needlessMoves: most(bounds.needlessMovesPerHour),
      renewalGaps: most(bounds.renewalGapsPerHour),
    },
  );
}

const hourMs = 3_600_000;

/** Members look twice in one of this number of worlds: that takes a third of the CPU time. */
const looksTwiceEvery = 4;

function newWorld(scenario: Scenario, seed: number, overrides: Overrides = {}): World {
  const nodes: Node[] = [];
  const members: Members = {
    start(node) {
      start(world, node);
      join(world, node);
    },
    kill(node, awayMs, isProved) {
      endProcess(world, node);
      kill(world, node, awayMs, isProved);
    },
    close(node) {
      noteLeaving(world, node);
      feed(world, node, { kind: 'close' });
    },
    hasClosed: ({ state }) => state.phase === 'closed',
    resign(node) {
      const [partition] = node.terms.keys();
      if (partition !== undefined) feed(world, node, { kind: 'resign', partition, abstainMs: 0 });
    },
    judgeSettled: () => judgeSettled(world),
  };
  const world = worldOf(scenario, seed, overrides, { nodes, feed, members });
  const rules = overridden(leaseRules, overrides.rules);
  const count = scenario.nodes + (scenario.hasGuard || scenario.isWatched ? 1 : 0);
  for (let index = 0; index < count; index += 1)
    nodes.push(new Node(index, world, scenario.thresholdMs, rules));
  startAll(world, scenario.thresholdMs, startLater);
  beginFaults(world);
  return world;
}

/** Returns a world whose processes are not there yet. */
export function worldOf(
  scenario: Scenario,
  seed: number,
  overrides: Overrides,
  { nodes, feed, members }: Pick<World, 'nodes' | 'feed' | 'members'>,
): World {
  const owners: OwnerRecord[][] = Array.from({ length: scenario.partitions }, () => []);
  const rulesOfStore = overridden(storeRules, overrides.store);
  const world: World = {
    ...commonWorld(scenario, seed),
    storeRules: rulesOfStore,
    guardRules: overridden(guardRules, overrides.guard),
    links: [],
    forgetsShare: overrides.forgetsShare ?? 0,
    looksTwice: scenario.looksTwice || seed % looksTwiceEvery === 0,
    nodes,
    wire: Object.assign(new Process(-1, { now: 0 }, 0), { alive: true }),
    log: scenario.isLog ? new WorldLog(overridden(logRules, overrides.log)) : undefined,
    store: new RecordedStore(
      (name, text) => noteOwner(world, name, text),
      rulesOfStore.showsLosses,
    ),
    feed,
    members,
    floor: { token: 0n },
    owners,
    past: [],
    hidden: { isNext: false, at: Number.NEGATIVE_INFINITY },
    isCalm: false,
    judge: newJudge(scenario.partitions),
  };
  return world;
}
