// Who should hold what. The placement turns the list of those present by partition, and tells everyone in its own time: two
// members may see different ranks for a while, and both may be out of date.
import type { Ranks } from '@leadership/core/ledger';
import { there } from './random.ts';
import { soon } from './timeline.ts';
import { delayMs } from './weather.ts';
import type { Node, World } from './world.ts';

/** The best-ranked of those that are there and well, by the ranks that were told last. */
export function bestAround(world: World, partition: number): Node | undefined {
  const ranks = world.ranks[partition] ?? [];
  return ranks.map((index) => there(world.nodes[index])).find((node) => node.alive && node.campaigning && world.now > node.troubledUntil);
}

/** The placement has changed its mind, or seen someone come or go. */
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
