import { there } from '@leadership/testkit/world';
import type { Node, World } from './world.ts';

const firstLetter = 97;

/** Members go by letters, in the order of their nodes. */
export function nameOf(index: number): string {
  return String.fromCharCode(firstLetter + index);
}

/** The node of that member. */
export function memberNode({ nodes }: World, name: string): Node {
  return there(nodes[name.charCodeAt(0) - firstLetter]);
}
