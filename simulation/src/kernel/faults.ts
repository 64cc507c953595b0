// Schedules faults in a world at random times, and defines the faults that all protocols have in
// common.
import { about } from './network.ts';
import { between, happens, leaning, pick } from './random.ts';
import { type Handler, schedule } from './timeline.ts';
import type { Process, World } from './world.ts';

/** Applies a fault to a node. One that lasts ends after `lastsMs`. */
export type Fault<W, Node> = (world: W, node: Node, lastsMs: number) => void;

/** The faults of a protocol. */
export interface FaultTable<W, Node, Kind extends string> {
  readonly faults: Readonly<Record<Kind, Fault<W, Node>>>;
  /** The faults that also affect a paused process. */
  readonly whilePaused: readonly Kind[];
  /** Returns the minimum time between two faults of that kind. Default: 0. */
  restMs?(world: W, kind: Kind): number;
}

const minuteMs = 60_000;

/** Time before the first of the faults that occur one by one: the members have joined by then. */
const startMs = 6_000;

/** Returns a function that schedules the first faults of a world. */
export function faultSchedule<
  Kind extends string,
  W extends World<Node>,
  Node extends Process = W['nodes'][number],
>({ faults, whilePaused, restMs }: FaultTable<W, Node, Kind>): (world: W) => void {
  const strike: Handler<W, never, Kind> = (world, kind) => {
    const { random, scenario, nodes, now, judge } = world;
    const node = pick(random, nodes);
    const lastsMs = outageMs(world, node);
    if (scenario.oneByOne) oneLater(world, overAfterMs(world, node));
    else again(world, kind);
    const handles = node.pausedUntil <= now || whilePaused.includes(kind);
    if (!node.alive || !handles) return;
    judge.faults.set(kind, (judge.faults.get(kind) ?? 0) + 1);
    faults[kind](world, node, lastsMs);
  };
  const again = (world: W, kind: Kind): void => {
    const times = world.scenario.perMinute[kind] ?? 0;
    if (times === 0) return;
    schedule(world, (restMs?.(world, kind) ?? 0) + about(world, minuteMs / times), strike, kind);
  };
  const oneLater = (world: W, ms: number): void => {
    const { of, restMs: restsMs } = world.scenario.oneByOne ?? { of: [], restMs: 0 };
    schedule(world, ms + restsMs, strike, pick(world.random, of) as Kind);
  };
  return (world) => {
    if (world.scenario.oneByOne) oneLater(world, startMs);
    else for (const kind of Object.keys(world.scenario.perMinute) as Kind[]) again(world, kind);
  };
}

/**
 * Returns the maximum duration of a fault. The longest one is a leave: the member drains, stops and
 * stays away.
 */
function overAfterMs({ scenario: { outage } }: World, { leaseMs }: Process): number {
  return 2 * outage[1] * leaseMs;
}

/** Returns the length of a pause, a cut or an absence. */
export function outageMs({ random, scenario: { outage } }: World, { leaseMs }: Process): number {
  return between(random, outage[0], outage[1]) * leaseMs;
}

/** Returns the length of a restart. Half of all restarts are immediate. */
export function restartMs({ random }: World, lastsMs: number): number {
  return happens(random, 0.5) ? 0 : lastsMs;
}

/** Returns a random partition. */
export function anyPartition({ random, scenario: { partitions } }: World): number {
  return Math.floor(random.next() * partitions);
}

/** The rate of a clock changes within ±ρ. */
export function drift({ random, scenario }: World, { clock }: Process): void {
  clock.drift(random, scenario.driftRate);
}

/** A wall clock jumps. */
export function wallStep({ random, scenario }: World, { clock }: Process): void {
  clock.wallOffsetMs = leaning(random) * scenario.wallOffsetMsMax;
}
