// The network links between the processes of a world, for protocols whose members send messages to
// each other, and the faults that break them.
import { outageMs } from './faults.ts';
import { happens } from './random.ts';
import type { Process, World } from './world.ts';

/** A world in which every process sends to every other one. */
export interface LinkedWorld<Node extends Process = Process> extends World<Node> {
  readonly scenario: World['scenario'] & { readonly leaseMs: number };
  /** Per sender and receiver: until when all messages are lost. */
  readonly cutUntil: Float64Array;
}

/** Returns whether all messages from one node to another are lost now. */
export function isCut({ cutUntil, nodes, now }: LinkedWorld, from: Process, to: Process): boolean {
  return (cutUntil[from.index * nodes.length + to.index] ?? 0) > now;
}

function cut({ cutUntil, nodes }: LinkedWorld, from: Process, to: Process, until: number): void {
  cutUntil[from.index * nodes.length + to.index] = until;
}

/** Returns the node that leads the partition. */
export function leaderOf<Node extends Process>(
  { nodes }: World<Node>,
  partition: number,
): Node | undefined {
  return nodes.find(({ hosted }) => hosted[partition]?.leads());
}

/** Notes a fault that affects a node for as long as an outage, and the time to recover from it. */
export function trouble({ now, scenario }: LinkedWorld, node: Process): void {
  const longestMs = (scenario.outage[1] + 2) * scenario.leaseMs;
  node.troubledUntil = Math.max(node.troubledUntil, now + longestMs);
}

/** Notes a fault that may affect any node. */
export function troubleAll(world: LinkedWorld): void {
  for (const node of world.nodes) trouble(world, node);
}

/** Cuts every link from one node to another for which `isBroken` returns true. */
export function cutLinks(
  world: LinkedWorld,
  lastsMs: number,
  isBroken: (from: Process, to: Process) => boolean,
): void {
  const { nodes, now } = world;
  for (const from of nodes)
    for (const to of nodes) if (isBroken(from, to)) cut(world, from, to, now + lastsMs);
  troubleAll(world);
}

/** Splits the network into two sides, in both directions or in one. */
export function divide(world: LinkedWorld, _node: Process, lastsMs: number): void {
  const { random, nodes } = world;
  const side = nodes.map(() => random.next() < 0.5);
  const isOneWay = happens(random, 0.4);
  cutLinks(world, lastsMs, (from, to) => {
    const isAcross = side[from.index] !== side[to.index];
    return isAcross && !(isOneWay && side[from.index] === true);
  });
}

/** How a member is isolated: it receives nothing, sends nothing, or has one neighbour left. */
export type Isolation = 'deaf' | 'mute' | 'tied';

/** Isolates a member. */
export function isolate(
  world: LinkedWorld,
  node: Process,
  way: Isolation,
  neighbour?: Process,
): void {
  cutLinks(world, outageMs(world, node), (from, to) => {
    const other = from === node ? to : from;
    if (from === to || (from !== node && to !== node)) return false;
    if (way === 'tied') return other !== neighbour;
    return way === 'deaf' ? to === node : from === node;
  });
}
