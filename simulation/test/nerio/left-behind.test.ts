// A member whose directory is restored to a copy from two epochs ago connects to a member that is
// behind in each of these epochs (N13). No random world reaches this state within hours, because
// all three members must be isolated from the others in turn.
import type { Epoch } from '@leadership/nerio/internal/protocol';
import { describe, expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { defined } from '../../src/kernel/random.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { copy, restore } from '../../src/nerio/disk.ts';
import { take } from '../../src/nerio/engine.ts';
import { startLater, stop } from '../../src/nerio/node.ts';
import { nerioDrift } from '../../src/nerio/protocol.ts';
import type { Overrides } from '../../src/nerio/rules.ts';
import type { Scenario } from '../../src/nerio/scenario.ts';
import { scenarios } from '../../src/nerio/scenarios.ts';
import { memberNode, type World } from '../../src/nerio/world.ts';

const next = (...names: string[]): Pick<Epoch, 'members' | 'quorums'> => ({
  members: names.map((member) => ({ member })),
  quorums: { kind: 'majority' },
});

/** Breaks or repairs the link from one member to another. */
function link(world: World, from: string, to: string, isCut: boolean): void {
  world.cutUntil[memberNode(world, from).index * world.nodes.length + memberNode(world, to).index] =
    isCut ? Number.POSITIVE_INFINITY : 0;
}

function links(world: World, one: string, other: string, isCut: boolean): void {
  link(world, one, other, isCut);
  link(world, other, one, isCut);
}

/** Poll interval in milliseconds, shorter than any message delay. */
const checkMs = 0.25;

function until(world: World, holds: () => boolean): void {
  for (const end = world.now + 60_000; !holds(); runUntil(world, world.now + checkMs))
    if (world.now > end) throw new Error('the awaited state was not reached within a minute');
}

/**
 * Returns the violated rules after this sequence: a stays in the first epoch, d stays in the
 * second, and b and c move to the third, which c forms alone.
 */
function lived(
  clocks: Scenario['clocks'],
  seed: number,
  rules: Overrides['rules'] = {},
): readonly string[] {
  const calm = named(scenarios[clocks], 'calm');
  const world = nerioDrift.newWorld(
    { ...calm, nodes: 2, newcomers: 2, keeps: ['hard-state'], perMinute: {}, bounds: {} },
    seed,
    {
      // A rule with evidence would refuse even the second epoch. Here the member accepts every
      // report of a running epoch.
      rules: { isProven: () => true, ...rules },
    },
  );
  const [a, b, d] = ['a', 'b', 'd'].map((name) => memberNode(world, name));
  const [behind, lost, late] = [defined(a), defined(b), defined(d)];
  const pass = (leases: number): void => runUntil(world, world.now + leases * calm.leaseMs);
  pass(8);
  copy(lost);
  take(world, lost, { kind: 'reconfigure', next: next('b', 'c', 'd') });
  // Member a accepts the next epoch, and never learns that it has begun.
  until(world, () => behind.state.wedge !== undefined);
  for (const other of ['b', 'c', 'd']) link(world, other, 'a', true);
  until(world, () => lost.state.proposal?.accepting !== undefined);
  const { ballot, accepting } = defined(lost.state.proposal);
  take(world, behind, {
    kind: 'received',
    from: lost.self,
    epoch: 0,
    item: { kind: 'accept', ballot, next: defined(accepting) },
  });
  until(world, () => late.state.electorate.number === 1);
  pass(4);
  for (const other of ['b', 'c']) links(world, 'd', other, true);
  take(world, lost, { kind: 'reconfigure', next: next('c') });
  until(world, () => world.epoch.number === 2);
  pass(4);
  links(world, 'b', 'c', true);
  stop(world, lost);
  restore(lost);
  startLater(world, lost, 0);
  link(world, 'b', 'a', false);
  pass(5);
  links(world, 'b', 'a', true);
  links(world, 'b', 'd', false);
  pass(10);
  return [...world.judge.broken.keys()].sort();
}

describe.each(['drift', 'skew'] as const)(
  'a member that has lost two epochs, where clocks are held to %s',
  (clocks) => {
    const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

    test('grants in neither of them, even if other members are behind (N13)', () => {
      expect(seeds.flatMap((seed) => lived(clocks, seed))).toEqual([]);
    });

    test('elects a leader in an ended epoch if it treats any answer as proof of the latest epoch', () => {
      for (const seed of seeds)
        expect(lived(clocks, seed, { isLatest: () => true })).toEqual(
          expect.arrayContaining(['N13', 'exclusive']),
        );
    });
  },
);
