import { describe, expect, test } from 'vitest';
import { World } from '../support/world.ts';

function ledWorld(seed: number, partitions = 1, drainMs = 100): World {
  const world = new World({
    seed,
    nodes: 5,
    voters: 3,
    partitions,
    delayMs: [5, 20],
    drainMs: [drainMs, drainMs],
  });
  world.startAll();
  world.run(20_000);
  return world;
}

const stayOutMs = 60_000;

/** A leader that resigns, whose drain does not end by itself, and that is the only candidate. */
function resigning(): { readonly world: World; readonly leader: string } {
  const world = ledWorld(1, 1, 1e9);
  const leader = world.leader() ?? '';
  for (const name of world.names)
    if (name !== leader) world.feed(name, { kind: 'campaign', on: false });
  world.feed(leader, { kind: 'resign', partition: 0, atLeastMs: stayOutMs });
  return { world, leader };
}

describe('an orderly hand-over (H2)', () => {
  test.each([1, 2, 3, 4, 5])(
    'the successor leads a few messages after the drain (seed %i)',
    (seed) => {
      const world = ledWorld(seed);
      const leader = world.leader();
      if (leader === undefined) throw new Error('no leader');
      const process = world.process(leader);
      world.feed(leader, { kind: 'resign', partition: 0, atLeastMs: 0 });
      world.run(99);
      expect(world.believes(process, 0), 'it proves leadership while its work drains').toBe(true);
      const isFenced = !world.run(
        200,
        () => world.leader() !== undefined && world.leader() !== leader,
      );
      // The host of this world fences one drain in ten instead: then the lease lapses.
      if (isFenced) expect(world.run(12_000, () => world.leader() !== undefined)).toBe(true);
      expect(world.violations).toEqual([]);
      world.run(30_000);
      expect(world.leader(), 'the resigned member stays out').not.toBe(leader);
      expect(world.reigns.length).toBe(2);
    },
  );

  test('a term that was left to lapse is not declared over before its proof expires (H3)', () => {
    const world = ledWorld(1, 1, 1e9);
    const leader = world.leader() ?? '';
    world.feed(leader, { kind: 'resign', partition: 0, atLeastMs: 0 });
    world.feed(leader, { kind: 'fenced', partition: 0, lapse: true });
    // A second resignation must not free the voters while the work may still run.
    world.feed(leader, { kind: 'resign', partition: 0, atLeastMs: 0 });
    expect(world.run(8000, () => world.leader() !== leader)).toBe(false);
    expect(world.run(4000, () => world.leader() !== undefined && world.leader() !== leader)).toBe(
      true,
    );
    expect(world.violations).toEqual([]);
  });

  test.each(['draining', 'drained'])(
    'a member stays out for the time of its resignation, also if its clock stops (%s)',
    (when) => {
      const { world, leader } = resigning();
      if (when === 'drained') world.feed(leader, { kind: 'drained', partition: 0 });
      world.feed(leader, { kind: 'clock-stopped' });
      const [own] = world.process(leader).state?.election.candidateStates ?? [];
      expect(own?.abstainMs, 'a later lapse does not count it again').toBe(0);
      const until = world.now + stayOutMs;
      expect(world.run(stayOutMs + 30_000, () => world.leader() === leader)).toBe(true);
      expect(world.now).toBeGreaterThan(until * (1 - world.options.driftRate));
      expect(world.violations).toEqual([]);
    },
  );

  test.each(['expires', 'is found to be over'])(
    'a member stays out for the time of its resignation, also if its term %s during the drain',
    (how) => {
      const { world, leader } = resigning();
      if (how === 'expires') for (const other of world.names) world.cut(other, leader);
      else world.feed(leader, { kind: 'fenced', partition: 0, lapse: false });
      expect(world.run(15_000, () => world.leader() !== leader)).toBe(true);
      const until = world.now + stayOutMs;
      world.cuts.clear();
      expect(world.run(stayOutMs + 60_000, () => world.leader() === leader)).toBe(true);
      expect(world.now).toBeGreaterThan(until - 20_000);
      expect(world.violations).toEqual([]);
    },
  );

  test('a member that resigns again while it drains stays out for the longest time', () => {
    const { world, leader } = resigning();
    for (const atLeastMs of [2 * stayOutMs, 2000])
      world.feed(leader, { kind: 'resign', partition: 0, atLeastMs });
    world.feed(leader, { kind: 'drained', partition: 0 });
    expect(world.run(1.9 * stayOutMs, () => world.leader() === leader)).toBe(false);
    expect(world.run(stayOutMs, () => world.leader() === leader)).toBe(true);
  });

  test('a term that lapses ends before the next one begins, also if the clock stops (H3)', () => {
    const world = ledWorld(1, 1, 1e9);
    const leader = world.leader() ?? '';
    const { until = 0 } = world.process(leader).state?.election.candidateStates[0]?.term ?? {};
    const lapsesAt = (world.process(leader).state?.startedAt ?? 0) + until;
    world.feed(leader, { kind: 'fenced', partition: 0, lapse: true });
    world.feed(leader, { kind: 'clock-stopped' });
    const { election } = world.process(leader).state ?? {};
    expect(election?.candidateStates[0]?.term).toBeUndefined();
    const { startedAt = 0 } = world.process(leader).state ?? {};
    const lapseUntil = election?.candidateStates[0]?.lapseUntil ?? 0;
    expect(startedAt + lapseUntil).toBeCloseTo(lapsesAt, 3);
  });

  test('a member that stops standing hands over without a gap of P', () => {
    const world = ledWorld(4);
    const leader = world.leader() ?? '';
    world.feed(leader, { kind: 'campaign', on: false });
    world.run(30_000);
    expect(world.leader(), 'it leads until it resigns').toBe(leader);
    world.feed(leader, { kind: 'resign', partition: 0, atLeastMs: 0 });
    world.feed(leader, { kind: 'drained', partition: 0 });
    expect(world.run(200, () => world.leader() !== undefined)).toBe(true);
    expect(world.leader()).not.toBe(leader);
  });

  test('partitions are spread over the candidates (S4)', () => {
    const world = ledWorld(2, 32);
    const leaders = Array.from({ length: 32 }, (_, partition) => world.leader(partition));
    expect(leaders).not.toContain(undefined);
    expect(new Set(leaders).size).toBe(5);
    expect(world.violations).toEqual([]);
  });
});
