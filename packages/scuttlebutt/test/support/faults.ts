// Faults at random times, and the time after them in which a leader must appear.
import { World, type WorldOptions } from './world.ts';

/** How often a fault happens, per minute of true time, and what restarts are allowed. */
export interface Faults {
  readonly kills: number;
  readonly pauses: number;
  readonly cuts: number;
  readonly drifts: number;
  readonly resigns: number;
  readonly campaigns: number;
  /** How long a killed member stays away, and how long a pause or a cut lasts, in P. */
  readonly awayThresholds: number;
  /** Whether a voter may be killed while another one is away, or has not learnt the tokens. */
  readonly losesMemory: boolean;
}

/** All faults, every few seconds. */
const allFaults: Faults = {
  kills: 2,
  pauses: 2,
  cuts: 8,
  drifts: 4,
  resigns: 2,
  campaigns: 0.5,
  awayThresholds: 3,
  losesMemory: true,
};

/** The result of a run. */
export interface Result {
  readonly violations: readonly string[];
  readonly terms: number;
  /** The number of calm periods that ended without a leader of every partition. */
  readonly leaderless: number;
  readonly calms: number;
  readonly steps: number;
}

/** The time after which a connected group must have a leader, in P. */
const calmThresholds = 8;

/**
 * Alternates faults for ten minutes and calm times, for `hours` of true time. Stops early once a
 * violation contains `shows`.
 */
export function runWithFaults(
  options: WorldOptions,
  hours: number,
  faults: Faults = allFaults,
  shows?: string,
): Result {
  const world = new World(options);
  world.startAll();
  let [leaderless, calms] = [0, 0];
  const end = hours * 3_600_000;
  while (world.now < end) {
    disturb(world, faults, Math.min(600_000, end - world.now));
    if (shows !== undefined && world.violations.some((one) => one.includes(shows))) break;
    if (!calmDown(world)) leaderless += 1;
    calms += 1;
  }
  const { violations, reigns, steps } = world;
  return { violations, terms: reigns.length, leaderless, calms, steps };
}

function disturb(world: World, faults: Faults, ms: number): void {
  const end = world.now + ms;
  const kinds = ['kills', 'pauses', 'cuts', 'drifts', 'resigns', 'campaigns'] as const;
  const perMinute = kinds.reduce((sum, kind) => sum + faults[kind], 0);
  while (world.now < end) {
    world.run(world.between(0, (2 * 60_000) / perMinute));
    let draw = world.random() * perMinute;
    const kind = kinds.find((one) => {
      draw -= faults[one];
      return draw < 0;
    });
    fault(world, faults, kind ?? 'cuts');
  }
}

type Kind = 'kills' | 'pauses' | 'cuts' | 'drifts' | 'resigns' | 'campaigns';

function fault(world: World, faults: Faults, kind: Kind): void {
  const { thresholdMs, partitions } = world.options;
  const name = any(world, world.names);
  const ms = world.between(0, faults.awayThresholds * thresholdMs);
  const partition = Math.floor(world.random() * partitions);
  switch (kind) {
    case 'kills':
      return kill(world, faults, name, ms);
    case 'pauses':
      return world.pause(name, ms);
    case 'cuts':
      return cut(world, name, ms);
    case 'drifts':
      return world.drift(name);
    case 'resigns': {
      const leader = world.leader(partition);
      if (leader) world.feed(leader, { kind: 'resign', partition, atLeastMs: 0 });
      return;
    }
    case 'campaigns':
      world.feed(name, { kind: 'campaign', on: false, partition });
      return world.at(world.now + ms, () =>
        world.feed(name, { kind: 'campaign', on: true, partition }),
      );
  }
}

function kill(world: World, { losesMemory }: Faults, name: string, ms: number): void {
  if (!losesMemory && world.voters.includes(name) && !world.voters.every(remembers)) return;
  world.kill(name);
  const { life } = world.process(name);
  world.at(world.now + ms, () => {
    if (world.process(name).life === life) world.start(name);
  });

  function remembers(voter: string): boolean {
    return world.process(voter).state?.election.memory.remembers === true;
  }
}

/** Cuts one way, both ways of a pair, or a member from all others. */
function cut(world: World, name: string, ms: number): void {
  const shape = world.random();
  const others = world.names.filter((other) => other !== name);
  const from = shape < 0.7 ? [any(world, others)] : others.filter(() => world.random() < 0.7);
  const pairs = from.flatMap((other) =>
    shape < 0.35 || shape > 0.85
      ? [[name, other] as const]
      : [[name, other] as const, [other, name] as const],
  );
  for (const [a, b] of pairs) world.cut(a, b);
  world.at(world.now + ms, () => {
    for (const [a, b] of pairs) world.cut(a, b, false);
  });
}

/** Heals everything. Returns whether every partition has a leader in time. */
function calmDown(world: World): boolean {
  const { thresholdMs, partitions } = world.options;
  // Every fault ends by itself.
  world.run(4 * thresholdMs);
  world.cuts.clear();
  for (const name of world.names) if (world.process(name).state === undefined) world.start(name);
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  return world.run(calmThresholds * thresholdMs, () =>
    all.every((partition) => world.leader(partition) !== undefined),
  );
}

function any<T>(world: World, items: readonly T[]): T {
  const item = items[Math.floor(world.random() * items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}
