// Every run of a short world with up to two faults out of a finite list.
import { quick } from '../../kernel/network.ts';
import { defined } from '../../kernel/random.ts';
import { runUntil } from '../../kernel/timeline.ts';
import { faults } from '../../rows/faults.ts';
import { judgeSettled } from '../../rows/judge.ts';
import type { Overrides } from '../../rows/mutants.ts';
import { rows } from '../../rows/protocol.ts';
import { type FaultKind, type Scenario, usualSize } from '../../rows/scenario.ts';
import { scenarios } from '../../rows/scenarios.ts';
import type { World } from '../../rows/world.ts';
import { explore } from '../explore.ts';

/** The faults of single members, and those of the store. */
const ofMembers: readonly FaultKind[] = ['restart', 'pause', 'cut', 'leave', 'resign', 'muted'];
const ofStores: readonly FaultKind[] = ['row-removed', 'history-lost', 'old-copy', 'garbage'];

/** When the faults begin: the members share the partitions, and the store can lose that. In T. */
const settledThresholds = 5;
/** Between two moments at which faults may strike, and how long they last. In T. */
const slotThresholds = 0.3;
const lastsThresholds = 1.4;
/** The quiet time at the end, after which all partitions are led, and the shares are even. In T. */
const quietThresholds = 30;
/** The time in which a mutant shows what it does wrong: a lease is over, and another one begins. In T. */
const wrongThresholds = 5;

/** A fault at a moment. */
interface FaultEvent {
  readonly kind: FaultKind;
  readonly node: number;
  readonly at: number;
}

/** The parameters of a search. */
export interface FaultPairs {
  readonly slots: number;
  readonly overrides?: Overrides;
}

/** The result of a search. */
export interface FaultPairsResult {
  readonly faults: number;
  readonly runs: number;
  readonly exhausted: boolean;
  /** The faults of the first run that broke a rule, and how. */
  readonly found: readonly string[] | undefined;
}

const thresholdMs = usualSize.thresholdMs;

/** The usual members, without faults of their own. The store says that it may lose changes. */
const scenario: Scenario = {
  ...defined(scenarios[0]),
  nodes: 3,
  partitions: 2,
  network: quick,
  draining: { ms: [0, 100], neverShare: 0, timeoutMs: 300 },
  wallOffsetMsMax: 0,
  perMinute: { 'history-lost': 0 },
};

/** Runs the world with no fault, with each of them, and with each pair, until a rule is broken. */
export function searchFaultPairs({ slots, overrides }: FaultPairs): FaultPairsResult {
  const events = eventsIn(slots);
  const broken = (chosen: readonly number[]): string | undefined =>
    run(
      chosen.map((index) => defined(events[index])),
      overrides,
    );
  const { states, exhausted, wrong } = explore<readonly number[]>(
    {
      initialState: [],
      movesFrom: (chosen) =>
        chosen.length === 2
          ? []
          : events.flatMap((event, index) =>
              index < (chosen[0] ?? 0) ? [] : [{ what: nameOf(event), to: [...chosen, index] }],
            ),
      keyOf: (chosen) => chosen.join(),
      isWrong: (chosen) => broken(chosen) !== undefined,
    },
    Number.POSITIVE_INFINITY,
  );
  const found = wrong && [...wrong.map(({ what }) => what), broken(defined(wrong.at(-1)).to) ?? ''];
  return { faults: events.length, runs: states, exhausted, found };
}

function nameOf({ kind, node, at }: FaultEvent): string {
  return `${kind} of ${node} at ${at} ms`;
}

function eventsIn(slots: number): readonly FaultEvent[] {
  const events: FaultEvent[] = [];
  for (let slot = 0; slot < slots; slot += 1) {
    const at = (settledThresholds + slot * slotThresholds) * thresholdMs;
    for (const kind of ofStores) events.push({ kind, node: 0, at });
    for (const kind of ofMembers)
      for (let node = 0; node < scenario.nodes; node += 1) events.push({ kind, node, at });
  }
  return events;
}

/** Runs the world. Returns what broke a rule. */
function run(events: readonly FaultEvent[], overrides: Overrides | undefined): string | undefined {
  const world = rows.newWorld(scenario, 1, overrides);
  for (const event of events) {
    runUntil(world, event.at);
    strike(world, event);
  }
  runUntil(world, world.now + lastsThresholds * thresholdMs);
  const { judge } = world;
  if (overrides) {
    runUntil(world, world.now + wrongThresholds * thresholdMs);
    // A mutant shows what follows from its wrong steps.
    return [...judge.broken.keys()].find((rule) => rule !== 'relation');
  }
  runUntil(world, world.now + quietThresholds * thresholdMs);
  judgeSettled(world);
  return judge.first;
}

function strike(world: World, { kind, node: index }: FaultEvent): void {
  const node = defined(world.nodes[index]);
  if (node.alive) faults[kind](world, node, lastsThresholds * thresholdMs);
}
