// Decides in worlds of the ledger lease which member should hold which partition. The placement
// rotates the list of present members per partition and sends it to each member with its own delay.
// Two members may therefore see different ranks for a while, and both may be out of date.
import type { LedgerInput } from '@leadership/core/internal/ledger';
import { delayMs } from '../kernel/network.ts';
import { defined } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import type { Node, World } from './world.ts';

/** Returns the best available member of a partition, by the ranks that were sent last. */
export function bestPresent(world: World, partition: number): Node | undefined {
  for (const index of world.ranks[partition] ?? []) {
    const node = defined(world.nodes[index]);
    if (node.alive && node.campaigning && world.now > node.troubledUntil) return node;
  }
  return undefined;
}

/**
 * Recomputes the ranks and sends them to all members. Call this when the placement or the set of
 * present members changes.
 */
export function sendRanks(world: World): void {
  const { nodes, scenario, rotations } = world;
  const present = nodes.filter(({ alive, campaigning }) => alive && campaigning);
  world.rankedAt = world.now;
  for (let partition = 0; partition < scenario.partitions; partition += 1) {
    const turn = (partition + defined(rotations[partition])) % Math.max(1, present.length);
    const order = [...present.slice(turn), ...present.slice(0, turn)];
    world.ranks[partition] = order.map(({ index }) => index);
    const input: LedgerInput = { kind: 'ranks', ranks: order.map((node) => node.incarnation) };
    for (const node of nodes) {
      if (node.alive && partition < node.partitions.length)
        scheduleFor(world, node, delayMs(world), world.feed, input, partition + 1);
    }
  }
}
