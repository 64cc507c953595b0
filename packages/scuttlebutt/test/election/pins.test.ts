// R3, R4: what the members must agree on, and how it is changed.
import { describe, expect, test } from 'vitest';
import { World, type WorldOptions } from '../support/world.ts';

const three = ['m0', 'm1', 'm2'];
const five = ['m0', 'm1', 'm2', 'm3', 'm4'];

/** Three voters and their leader; m3 and m4 are not started. */
function group(rules: WorldOptions['rules'] = {}, seed = 4): World {
  const world = new World({ seed, nodes: 5, voters: 3, rules });
  for (const name of three) world.start(name);
  world.run(20_000);
  expect(world.leader()).toBeDefined();
  return world;
}

const next = { voters: five, pin: 'five voters' };

/** Restarts or starts the members one after the other with five voters. */
function rollingChange(world: World): void {
  for (const name of ['m3', 'm4', ...three]) {
    world.kill(name);
    world.start(name, next);
    world.run(30_000);
  }
}

function cutBothWays(world: World, member: string, others: readonly string[]): void {
  for (const other of others) {
    world.cut(member, other);
    world.cut(other, member);
  }
}

/** A newcomer with five voters is cut off for its first 3 P. Returns the members that refused. */
function meetsLate(world: World): ReadonlySet<string> {
  cutBothWays(world, 'm3', three);
  world.start('m3', next);
  world.run(3 * world.options.thresholdMs);
  world.cuts.clear();
  world.run(30_000);
  return world.refused;
}

describe('a change of the voters', () => {
  test('by restarts one after the other is refused at every newcomer (R4)', () => {
    const world = group();
    for (const name of ['m3', 'm4', 'm0']) {
      world.kill(name);
      world.start(name, next);
      world.run(30_000);
      expect(world.refused).toContain(name);
      expect(world.leader(), 'the two others go on').toBeDefined();
    }
    expect(world.violations).toEqual([]);
  });

  test('would elect one leader for each list of voters otherwise', () => {
    const world = group({ refuses: false });
    rollingChange(world);
    expect(world.violations).toContainEqual(expect.stringContaining('lead partition 0'));
  });

  test.each([1, 2, 3])(
    'is refused at a newcomer whose first messages are lost for longer than P (R4), seed %i',
    (seed) => {
      const world = group({}, seed);
      expect(meetsLate(world)).toContain('m3');
      expect(world.leader(), 'the others go on').toBeDefined();
      expect(meetsLate(group({ takesPart: (hasActed) => hasActed }, seed))).not.toContain('m3');
    },
  );

  test.each([1, 2])(
    'is refused at the newcomer, not at a leader that reaches no voter directly (R4), seed %i',
    (seed) => {
      const meets = (rules: NonNullable<WorldOptions['rules']>): World => {
        const world = new World({ seed, nodes: 6, voters: 3, rules });
        cutBothWays(world, 'm3', three);
        for (const name of three) world.start(name, { isCandidate: false });
        world.start('m3', { seeds: ['m4'] });
        world.start('m4', { isCandidate: false });
        world.run(40_000);
        expect(world.leader(), 'over m4').toBe('m3');
        cutBothWays(world, 'm5', [...three, 'm4']);
        world.start('m5', next);
        world.run(30_000);
        return world;
      };
      const world = meets({});
      expect(world.refused).toEqual(new Set(['m5']));
      expect(world.leader()).toBe('m3');
      expect(meets({ countsForwarded: false }).refused).toContain('m3');
    },
  );

  test.each([1, 2, 3])(
    'is refused at the newcomer, not at members whose clocks stopped a moment ago (R4), seed %i',
    (seed) => {
      const world = group({}, seed);
      for (const name of three) world.feed(name, { kind: 'clock-stopped' });
      world.start('m3', next);
      world.run(60_000);
      expect(world.refused).toEqual(new Set(['m3']));
      expect(world.leader()).toBeDefined();
      expect(world.violations).toEqual([]);
    },
  );

  test('works with all members stopped, and needs no further wait', () => {
    const world = group();
    const before = world.reigns.at(-1)?.token ?? 0n;
    for (const name of world.names) world.kill(name);
    // The messages on their way arrive, or are lost.
    world.run(100);
    for (const name of world.names) world.start(name, next);
    expect(world.run(20_000, () => world.leader() !== undefined)).toBe(true);
    world.run(30_000);
    expect(world.refused.size).toBe(0);
    expect(world.violations).toEqual([]);
    expect(world.reigns.at(-1)?.token).toBeGreaterThan(before);
  });
});

describe('a name that is used twice', () => {
  test('a member that meets a later generation of its name starts again above it', () => {
    const world = group();
    world.kill('m1');
    // Its wall clock was set back by an hour.
    world.process('m1').wallOffsetMs = -3_600_000;
    world.start('m1');
    world.run(40_000);
    const { state } = world.process('m1');
    const known = world.process('m0').state?.gossip.nodes.get('m1');
    expect(known?.generation).toBe(state?.election.generation);
    expect(state?.election.memory.remembers).toBe(true);
    expect(world.violations).toEqual([]);
  });
});
