// The interface that a protocol implements so that the kernel can simulate it, and how one of its
// worlds runs.
import type { Real } from './clock.ts';
import { type Findings, verdictOf } from './findings.ts';
import { historyHash } from './history-hash.ts';
import type { Mutant } from './mutant.ts';
import type { CommonScenario, Size } from './scenario.ts';
import { runInTurns, runUntil, type Timeline } from './timeline.ts';

/** A protocol that can be simulated. */
export interface Protocol<Scenario extends CommonScenario, World extends Judged, Overrides> {
  readonly name: string;
  readonly usualSize: Size;
  /** The greatest number of nodes that the command accepts. */
  readonly nodesMax: number;
  readonly scenarios: readonly Scenario[];
  /** Whether every other world uses the first scenario, which has the default faults. */
  readonly alternates: boolean;
  readonly mutants: readonly Mutant<Overrides>[];
  /** Returns the scenario in another size. */
  sized(scenario: Scenario, size: Size): Scenario;
  /** Returns a world before its first event. */
  newWorld(scenario: Scenario, seed: number, overrides: Overrides | undefined): World;
  /** Returns the counters of a world up to now. */
  counters(world: World): Counters;
  /** Returns the names of the counters that exceed their limits. */
  crossedBounds(world: World, counters: Counters): readonly string[];
  /**
   * Returns the minimum run length in milliseconds before counters are judged, so that rates and
   * shares are meaningful.
   */
  judgedAfterMs(scenario: Scenario): number;
  /**
   * Lets everything that follows from an event happen before the next one, where the members await
   * promises. Such a world runs by `simulateInTurns` only.
   */
  follow?(world: World): Promise<void>;
}

/** The parts of a world that every protocol has. */
export interface Judged extends Timeline {
  readonly judge: Findings;
}

/** The counters of every protocol. */
export interface Counters {
  readonly doubleLeaders: number;
  /**
   * Double leaders in a situation where an assumption of the guarantee did not hold. They are
   * counted, but are no violation.
   */
  readonly knownDoubleLeaders?: number;
  readonly tokenRegressions: number;
  /** Number of steps that were checked against the text of the rules. */
  readonly checkedSteps?: number;
  readonly leaderlessShare: number;
  readonly needlessMoves: number;
  readonly renewalGaps: number;
  /** The longest time with two leaders, where a protocol permits them for a while. */
  readonly longestOverlapMs?: number;
  /** The longest time without a leader, after the first term. */
  readonly longestGapMs?: number;
}

/** The result of a simulated run. */
export interface Outcome extends Counters {
  readonly scenario: string;
  readonly seed: number;
  readonly simulatedMs: number;
  readonly events: number;
  readonly historyHash: string;
  /** Number of violations per rule. A counter above its limit is listed under its own name. */
  readonly broken: Readonly<Record<string, number>>;
  /** Number of faults, and of other recurring events, per kind. */
  readonly faults: Readonly<Record<string, number>>;
  /** The first violation, as text. */
  readonly first: string | undefined;
}

/** The length of a run, and when to stop it early. */
export interface Course {
  readonly ms: number;
  /** Returns whether the run continues, given its outcome so far. Default: always. */
  readonly goesOn?: (soFar: Outcome) => boolean;
  /**
   * Interval between calls of `goesOn`, in simulated milliseconds. Default: as long as for the
   * counters.
   */
  readonly everyMs?: number;
}

/** Runs a world. The same seed gives the same history, bit for bit. */
export function simulate<Scenario extends CommonScenario, World extends Judged, Overrides>(
  protocol: Protocol<Scenario, World, Overrides>,
  scenario: Scenario,
  seed: number,
  course: Course,
  overrides?: Overrides,
): Outcome {
  if (protocol.follow) throw new Error(`worlds of ${protocol.name} run by simulateInTurns`);
  const world = protocol.newWorld(scenario, seed, overrides);
  const stops = stopsOf(protocol, scenario, seed, world, course);
  for (let stop = stops.next(); ; stop = stops.next()) {
    if (stop.done) return stop.value;
    runUntil(world, stop.value);
  }
}

/** Runs a world of any protocol, also one whose members await promises. */
export async function simulateInTurns<
  Scenario extends CommonScenario,
  World extends Judged,
  Overrides,
>(
  protocol: Protocol<Scenario, World, Overrides>,
  scenario: Scenario,
  seed: number,
  course: Course,
  overrides?: Overrides,
): Promise<Outcome> {
  if (!protocol.follow) return simulate(protocol, scenario, seed, course, overrides);
  const world = protocol.newWorld(scenario, seed, overrides);
  const follow = async (): Promise<void> => protocol.follow?.(world);
  const stops = stopsOf(protocol, scenario, seed, world, course);
  for (let stop = stops.next(); ; stop = stops.next()) {
    if (stop.done) return stop.value;
    await runInTurns(world, stop.value, follow);
  }
}

/** Yields each time until which the world has to run before its outcome is looked at. */
function* stopsOf<Scenario extends CommonScenario, World extends Judged, Overrides>(
  protocol: Protocol<Scenario, World, Overrides>,
  scenario: Scenario,
  seed: number,
  world: World,
  { ms, goesOn = () => true, everyMs = protocol.judgedAfterMs(scenario) }: Course,
): Generator<Real, Outcome, undefined> {
  for (let until = Math.min(ms, everyMs); ; until = Math.min(ms, until + everyMs)) {
    yield until;
    const outcome = outcomeOf(protocol, scenario, world, seed);
    if (until >= ms || !goesOn(outcome)) return outcome;
  }
}

function outcomeOf<Scenario extends CommonScenario, World extends Judged, Overrides>(
  protocol: Protocol<Scenario, World, Overrides>,
  scenario: Scenario,
  world: World,
  seed: number,
): Outcome {
  const { now: simulatedMs, history, judge } = world;
  const counters = protocol.counters(world);
  const isJudged = simulatedMs >= protocol.judgedAfterMs(scenario);
  const verdict = verdictOf(
    judge,
    isJudged ? protocol.crossedBounds(world, counters) : [],
    scenario.name,
  );
  const run = { scenario: scenario.name, seed, simulatedMs, events: history.events };
  const faults = Object.fromEntries(judge.faults);
  return { ...run, faults, historyHash: historyHash(history), ...counters, ...verdict };
}

/** Returns whether the outcome contains no violation. */
export function isSound({ broken }: Pick<Outcome, 'broken'>): boolean {
  return Object.keys(broken).length === 0;
}

/** Returns whether the outcome contains the violation that the mutant causes. */
export function isCaught(
  { shows }: Pick<Mutant<unknown>, 'shows'>,
  { broken }: Pick<Outcome, 'broken'>,
): boolean {
  return (broken[shows] ?? 0) > 0;
}

/** Returns the item with that name, which must exist. */
export function named<Item extends { readonly name: string }>(
  items: readonly Item[],
  name: string,
): Item {
  const item = items.find((one) => one.name === name);
  if (item === undefined) throw new Error(`unknown name: ${name}`);
  return item;
}
