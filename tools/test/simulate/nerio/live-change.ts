// A group whose members change, three to five and back, again and again, while edicts are created, work drains and leaders are looked for.
import type { Epoch } from '@leadership/nerio/protocol';
import { there } from '@leadership/testkit/world';
import { take } from '../../../src/simulate/nerio/engine.ts';
import { believes } from '../../../src/simulate/nerio/judge.ts';
import { memberNode } from '../../../src/simulate/nerio/names.ts';
import { runUntil } from '../../../src/simulate/nerio/run.ts';
import type { Scenario } from '../../../src/simulate/nerio/scenario.ts';
import { scenarioNamed } from '../../../src/simulate/nerio/scenarios.ts';
import { type Departure, worldWith } from '../../../src/simulate/nerio/simulate.ts';
import type { World } from '../../../src/simulate/nerio/world.ts';

/** What came of it. */
export interface LiveChange {
  readonly broken: Readonly<Record<string, number>>;
  /** Of each change: for how long nobody led, from when it was asked for until all is as before. Milliseconds of real time. */
  readonly leaderlessMs: readonly number[];
  readonly edicts: number;
}

const few = ['a', 'b', 'c'];
const many = [...few, 'd', 'e'];
/** How exactly time without a leader is measured. Milliseconds. */
const lookMs = 1;
/** How long a change is followed, and what is between two. In leases. */
const followed = 6;
const between = 4;

/** How often a change is followed until it counts as one that never comes. */
const followedMax = 50;

/** One like any other. */
const usualSeed = 5;

/** Changes the members so many times, or until a change never comes: among members that are well, or on a usual day of faults. */
export function changeMembers(
  clocks: Scenario['clocks'],
  name: 'calm' | 'rainy',
  changes: number,
  departure: Departure = {},
  seed = usualSeed,
): LiveChange {
  const usual = scenarioNamed(clocks, name);
  const faults = name === 'calm' ? {} : { ...usual.perMinute, reconfigure: 0 };
  const load = { edict: 300, verify: 60, find: 60, resign: 1 };
  const world = worldWith({ ...usual, nodes: 3, newcomers: 2, perMinute: { ...faults, ...load }, bounds: {} }, seed, departure);
  const { leaseMs } = world.scenario;
  runUntil(world, 6 * leaseMs);
  const leaderlessMs: number[] = [];
  for (let change = 0; change < changes; change += 1) {
    const without = follow(world, change % 2 === 0 ? many : few);
    if (without === undefined) break;
    leaderlessMs.push(without);
    runUntil(world, world.now + between * leaseMs);
  }
  return { broken: Object.fromEntries(world.judge.broken), leaderlessMs, edicts: world.judge.edicts };
}

/** Asks for the change, again where whoever was asked has died over it, and looks all the while whether somebody leads. */
function follow(world: World, names: readonly string[]): number | undefined {
  const { leaseMs } = world.scenario;
  const before = world.epoch.number;
  let without = 0;
  for (let round = 0; round < followedMax; round += 1) {
    if (world.epoch.number === before) ask(world, names);
    for (const end = world.now + followed * leaseMs; world.now < end; ) {
      runUntil(world, world.now + lookMs);
      if (!world.nodes.some((node) => believes(world, node, there(node.beliefs[0])))) without += lookMs;
    }
    if (world.epoch.number > before) return without;
  }
  return undefined;
}

function ask(world: World, names: readonly string[]): void {
  const next: Pick<Epoch, 'members' | 'quorums'> = { members: names.map((member) => ({ member })), quorums: { kind: 'majority' } };
  const asked = world.epoch.members
    .map(({ member }) => memberNode(world, member))
    .find(({ alive, pausedUntil }) => alive && pausedUntil <= world.now);
  if (asked) take(world, asked, { kind: 'reconfigure', next });
}
