// Cuts members off from all others.
import { cutLinks } from '../kernel/links.ts';
import type { Node, World } from './world.ts';

/** Cuts all links between some members and the others until further links break. Heals all other links. */
export function separate(world: World, members: readonly Node[]): void {
  const inside = new Set(members.map(({ index }) => index));
  world.cutUntil.fill(0);
  const forGood = Number.POSITIVE_INFINITY;
  cutLinks(world, forGood, (from, to) => inside.has(from.index) !== inside.has(to.index));
}
