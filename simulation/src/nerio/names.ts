import { there } from '../kernel/random.ts';
import type { Node, World } from './world.ts';

const firstLetter = 97;

/** Returns the name of a member: a letter, in the order of the nodes. */
export function nameOf(index: number): string {
  return String.fromCharCode(firstLetter + index);
}

/** Returns the node of a member. */
export function memberNode({ nodes }: World, name: string): Node {
  return there(nodes[name.charCodeAt(0) - firstLetter]);
}
