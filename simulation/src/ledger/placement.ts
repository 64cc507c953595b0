// Decides which member should hold which partition. The placement rotates the list of present
// members per partition and sends it to each member with its own delay. Two members may therefore
// see different ranks for a while, and both may be out of date.
import type { Ranks } from '@leadership/core/adapter';
import { there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import type { Node, World } from './world.ts';

/** Returns the best available member of a partition, by the ranks that were sent last. */
export function bestAround(world: World, partition: number): Node | undefined {
  const ranks = world.ranks[partition] ?? [];
  return ranks
    .map((index) => there(world.nodes[index]))
    .find((node) => node.alive && node.campaigning && world.now > node.troubledUntil);
}

/**
 * Recomputes the ranks and sends them to all members. Call this when the placement or the set of
 * present members changes.
 */
export function tellRanks(world: World): void {
  world.rankedAt = world.now;
  for (let partition = 0; partition < world.scenario.partitions; partition += 1) {
    const order = ranked(world, partition);
    const ranks = order.map(({ self }) => self.incarnation);
    world.ranks[partition] = order.map(({ index }) => index);
    for (const node of world.nodes) {
      if (node.alive && partition < node.partitions.length) tell(world, node, partition, ranks);
    }
  }
}

function tell(world: World, { index: node, life }: Node, partition: number, ranks: Ranks): void {
  soon(world, delayMs(world), { kind: 'ranked', node, life, lane: partition + 1, cargo: ranks });
}

function ranked({ nodes, turns }: World, partition: number): Node[] {
  const present = nodes.filter(({ alive, campaigning }) => alive && campaigning);
  const turn = (partition + there(turns[partition])) % Math.max(1, present.length);
  return [...present.slice(turn), ...present.slice(0, turn)];
}
