// Crashes of all voters: they forget a term whose leader they then do not reach (T1).
import { between } from '../kernel/random.ts';
import { schedule } from '../kernel/timeline.ts';
import { resignLeader } from './closing.ts';
import { startLater, stop } from './node.ts';
import { separate } from './separate.ts';
import type { Node, World } from './world.ts';

/** How long a leader is cut off, in P: others suspect it after one, and elect another one. */
const away = [4, 6] as const;
/** How long the voters are cut off from all others, in P: they are silent for one, and then they learn. */
const apart = [1, 3] as const;

/**
 * Cuts a leader off. Another one leads meanwhile, and resigns, so that the claims of the others become
 * greater. Then all voters crash. Once they have learnt what there is, they reach the first leader only.
 */
export function forgetTerm(world: World, first: Node): void {
  const { random, scenario } = world;
  const ms = between(random, ...away) * scenario.leaseMs;
  separate(world, [first]);
  schedule(world, ms / 2, resignLeader, undefined);
  schedule(world, ms, wipeVoters, first);
}

function wipeVoters(world: World, first: Node): void {
  const { nodes, random, scenario } = world;
  const voters = nodes.slice(0, scenario.voters);
  separate(world, voters);
  crash(world, voters);
  const ms = between(random, ...apart) * scenario.leaseMs;
  schedule(world, ms, separate, [first, ...voters]);
}

/** Processes crash at once, and start again. */
export function crash(world: World, nodes: readonly Node[]): void {
  for (const node of nodes) {
    if (!node.alive) continue;
    stop(world, node);
    startLater(world, node, 0);
  }
}
