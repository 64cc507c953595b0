// Repeatedly changes a group from three members to five and back, while edicts are created, work
// drains and members search for leaders.
import type { Epoch } from '@leadership/nerio/internal/protocol';
import { leaderOf } from '../../src/kernel/links.ts';
import { named } from '../../src/kernel/protocol.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { take } from '../../src/nerio/engine.ts';
import { nerioDrift } from '../../src/nerio/protocol.ts';
import type { Overrides } from '../../src/nerio/rules.ts';
import type { Scenario } from '../../src/nerio/scenario.ts';
import { scenarios } from '../../src/nerio/scenarios.ts';
import { memberNode, type World } from '../../src/nerio/world.ts';

/** The result of the changes. */
export interface LiveChange {
  readonly broken: Readonly<Record<string, number>>;
  /**
   * Per change: the time without a leader until the change is complete, in milliseconds of real
   * time.
   */
  readonly leaderlessMs: readonly number[];
  readonly edicts: number;
}

const few = ['a', 'b', 'c'];
const many = [...few, 'd', 'e'];
/** Resolution of the measured time without a leader, in milliseconds. */
const checkMs = 1;
/** The length of one observation of a change, and the pause between two changes. In leases. */
const followed = 6;
const between = 4;

/** Number of observations after which a change counts as failed. */
const followedMax = 50;

/** An arbitrary seed. */
const usualSeed = 5;

/**
 * Changes the members `changes` times, or until a change fails. The members are healthy (`calm`) or
 * under the default faults (`rainy`).
 */
export function changeMembers(
  clocks: Scenario['clocks'],
  name: 'calm' | 'rainy',
  changes: number,
  overrides: Overrides = {},
  seed = usualSeed,
): LiveChange {
  const usual = named(scenarios[clocks], name);
  const faults = name === 'calm' ? {} : { ...usual.perMinute, reconfigure: 0 };
  const load = { edict: 300, verify: 60, find: 60, resign: 1 };
  const world = nerioDrift.newWorld(
    { ...usual, nodes: 3, newcomers: 2, perMinute: { ...faults, ...load }, bounds: {} },
    seed,
    overrides,
  );
  const { leaseMs } = world.scenario;
  runUntil(world, 6 * leaseMs);
  const leaderlessMs: number[] = [];
  for (let change = 0; change < changes; change += 1) {
    const without = follow(world, change % 2 === 0 ? many : few);
    if (without === undefined) break;
    leaderlessMs.push(without);
    runUntil(world, world.now + between * leaseMs);
  }
  return {
    broken: Object.fromEntries(world.judge.broken),
    leaderlessMs,
    edicts: world.tally.edicts,
  };
}

/**
 * Requests the change, again if a round ends without it, and measures the time without a leader.
 * Returns `undefined` if the change fails.
 */
function follow(world: World, names: readonly string[]): number | undefined {
  const { leaseMs } = world.scenario;
  const before = world.epoch.number;
  let without = 0;
  for (let round = 0; round < followedMax; round += 1) {
    if (world.epoch.number === before) ask(world, names);
    for (const end = world.now + followed * leaseMs; world.now < end; ) {
      runUntil(world, world.now + checkMs);
      if (leaderOf(world, 0) === undefined) without += checkMs;
    }
    if (world.epoch.number > before) return without;
  }
  return undefined;
}

function ask(world: World, names: readonly string[]): void {
  const next: Pick<Epoch, 'members' | 'quorums'> = {
    members: names.map((member) => ({ member })),
    quorums: { kind: 'majority' },
  };
  const asked = world.epoch.members
    .map(({ member }) => memberNode(world, member))
    .find(({ alive, pausedUntil }) => alive && pausedUntil <= world.now);
  if (asked) take(world, asked, { kind: 'reconfigure', next });
}
