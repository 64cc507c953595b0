import { describe, expect, test } from 'vitest';
import { World } from '../support/world.ts';

const members = 100;
const intervalMs = 1000;

/** The rounds that each of 200 writes takes to reach all of 100 members, in order. */
function roundsToReachAll(loss: number): readonly number[] {
  const world = new World({
    seed: 11,
    nodes: members,
    voters: 5,
    intervalMs,
    loss,
    config: { isCandidate: false },
  });
  world.startAll();
  // By then all members know each other.
  world.run(15_000);
  const pending = new Map<string, { readonly owner: string; readonly at: number }>();
  const rounds: number[] = [];
  for (let write = 0; write < 200; write += 1) {
    const owner = world.names[(write * 37) % members] ?? '';
    const key = `key-${write}`;
    pending.set(key, { owner, at: world.now });
    world.feed(owner, { kind: 'set', key, value: 'value' });
    world.run(intervalMs / 20);
    collect(world, pending, rounds);
  }
  world.run(30_000, () => {
    collect(world, pending, rounds);
    return pending.size === 0;
  });
  expect(pending.size).toBe(0);
  return rounds.toSorted((a, b) => a - b);
}

let lastCollected = 0;

function collect(
  world: World,
  pending: Map<string, { readonly owner: string; readonly at: number }>,
  rounds: number[],
): void {
  if (world.now - lastCollected < intervalMs / 20 && world.now >= lastCollected) return;
  lastCollected = world.now;
  for (const [key, { owner, at }] of pending) {
    const isKnown = world.names.every((name) =>
      world.process(name).state?.gossip.nodes.get(owner)?.entries.has(key),
    );
    if (!isKnown) continue;
    rounds.push((world.now - at) / intervalMs);
    pending.delete(key);
  }
}

describe('convergence (S1)', () => {
  test.each([0, 0.1])('a change reaches all of 100 members in time, with loss %d', (loss) => {
    const rounds = roundsToReachAll(loss);
    const [p50, p99] = [rounds[99], rounds[197]];
    console.info(`loss ${loss}: p50 ${p50?.toFixed(1)}, p99 ${p99?.toFixed(1)} rounds`);
    expect(p99).toBeLessThan(2 * Math.log2(members) + 3);
  });
});
