// Edicts of many leaders in several epochs, as receivers get them. Each receiver gets most of them,
// some twice, in random order (N8).
import { compareEdicts, type EdictStamp, isBefore } from '@leadership/nerio/internal/protocol';
import { expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { between, defined, happens, type Random, randomFrom } from '../../src/kernel/random.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { nerioDrift } from '../../src/nerio/protocol.ts';
import type { Scenario } from '../../src/nerio/scenario.ts';
import { scenarios } from '../../src/nerio/scenarios.ts';

interface History {
  /** The edicts in the order of their creation. */
  readonly created: readonly EdictStamp[];
  readonly leaderChanges: number;
  readonly broken: Readonly<Record<string, number>>;
}

/** Simulates a time in which leaders change, restart and are cut off, and members change. */
function lived(clocks: Scenario['clocks'], length: number): History {
  const usual = named(scenarios[clocks], 'edicts');
  const world = nerioDrift.newWorld(
    {
      ...usual,
      perMinute: { ...usual.perMinute, edict: 240, resign: 40, restart: 6, reconfigure: 0.5 },
    },
    8,
    undefined,
  );
  const [record] = world.judge.records;
  if (record === undefined) throw new Error('the world must have one partition');
  const created = new Set<EdictStamp>();
  // The judge keeps only the latest edicts, so the loop collects them often.
  for (let ms = 0; ms <= length; ms += 50) {
    runUntil(world, ms);
    for (const stamp of defined(world.edicts[0])) created.add(stamp);
  }
  expect(created.size).toBe(world.tally.edicts);
  return {
    created: [...created],
    leaderChanges: record.terms - 1,
    broken: Object.fromEntries(world.judge.broken),
  };
}

function received(random: Random, created: readonly EdictStamp[]): readonly EdictStamp[] {
  const copies = created.flatMap((stamp) =>
    happens(random, 0.1) ? [] : happens(random, 0.1) ? [stamp, stamp] : [stamp],
  );
  return copies
    .map((stamp) => ({ stamp, at: between(random, 0, 1) }))
    .sort((a, b) => a.at - b.at)
    .map(({ stamp }) => stamp);
}

type Compare = (a: EdictStamp, b: EdictStamp) => ReturnType<typeof compareEdicts>;

/**
 * Returns the received edicts as a receiver orders them: each once, in the order of their stamps.
 */
function inOrder(stamps: readonly EdictStamp[], compare: Compare): readonly EdictStamp[] {
  const signs = { before: -1, same: 0, after: 1, 'clock-assumption-violated': Number.NaN } as const;
  return [...stamps]
    .sort((a, b) => signs[compare(a, b)])
    .filter((stamp, index, all) => stamp !== all[index - 1]);
}

/** Registers tests: the edicts of that many milliseconds have an order that every receiver restores. */
export function edictsHaveAnOrder(
  clocks: Scenario['clocks'],
  length: number,
  { changesMin, epochsMin }: { readonly changesMin: number; readonly epochsMin: number },
): void {
  const { created, leaderChanges, broken } = lived(clocks, length);
  const arrivals = Array.from({ length: 5 }, (_, receiver) =>
    received(randomFrom(receiver + 1), created),
  );
  const rightly = (stamps: readonly EdictStamp[]): readonly EdictStamp[] => {
    const arrived = new Set(stamps);
    return created.filter((stamp) => arrived.has(stamp));
  };

  test('receivers restore the order of creation across leader changes and epochs (N8)', () => {
    expect(leaderChanges).toBeGreaterThanOrEqual(changesMin);
    expect(new Set(created.map(({ epoch }) => epoch)).size).toBeGreaterThanOrEqual(epochsMin);
    expect(broken).toEqual({});
    for (const stamps of arrivals) expect(inOrder(stamps, compareEdicts)).toEqual(rightly(stamps));
  });

  test('comparing the clocks of two lives of a granter, or the counter alone, gives a wrong order', () => {
    const acrossLives: Compare = (a, b) => compareEdicts(a, b, isBefore);
    const byCounter: Compare = (a, b) =>
      a.counter === b.counter ? 'same' : a.counter < b.counter ? 'before' : 'after';
    const [stamps = []] = arrivals;
    if (clocks === 'drift') expect(inOrder(stamps, acrossLives)).not.toEqual(rightly(stamps));
    expect(inOrder(stamps, byCounter)).not.toEqual(rightly(stamps));
  });
}
