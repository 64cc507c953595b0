// Orderly ends: of a term, and of a voter, whose process may go on for a while (H2, S7).
import { anyPartition, restartMs } from '../kernel/faults.ts';
import { leaderOf } from '../kernel/links.ts';
import { about } from '../kernel/network.ts';
import { between, defined } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { feed } from './engine.ts';
import { startLater, stop } from './node.ts';
import { separate } from './separate.ts';
import { memberNode, type Node, type World } from './world.ts';

/** A leader resigns. */
export function resignLeader(world: World): void {
  const partition = anyPartition(world);
  const leader = leaderOf(world, partition);
  if (leader === undefined) return;
  defined(leader.hosted[partition]).term.givenUp = true;
  feed(world, leader, { kind: 'resign', partition, atLeastMs: about(world, leader.leaseMs) });
}

/**
 * A voter ends its terms and publishes its last vote. Its process goes on for a while, or for long.
 */
export function deploy(world: World, node: Node, lastsMs: number): void {
  closeInOrder(world, node);
  scheduleFor(world, node, restartMs(world, lastsMs), stopClosed, lastsMs);
}

/** After which time a witness is cut off, in P: the last vote has mostly arrived. */
const arrives = [0.05, 0.3] as const;

/**
 * A voter closes in order. While its process goes on, its witness is cut off, so that the voter could only
 * elect the third member. When its next process starts, it reaches only the witness, which knows nothing
 * of that.
 */
export function deployApart(world: World, node: Node, lastsMs: number): void {
  const { random, scenario, nodes } = world;
  separate(world, []);
  closeInOrder(world, node);
  const [first] = node.state.election.witnesses;
  if (first !== undefined) {
    const witness = memberNode(world, first.member);
    const others = nodes.filter((other) => other !== node && other !== witness);
    schedule(world, between(random, ...arrives) * scenario.leaseMs, separate, [witness]);
    schedule(world, lastsMs, separate, others);
  }
  scheduleFor(world, node, lastsMs, stopClosed, 0);
}

function closeInOrder(world: World, node: Node): void {
  feed(world, node, { kind: 'campaign', on: false });
  for (const hosted of node.hosted) {
    hosted.term.givenUp = true;
    hosted.end('closed');
    feed(world, node, { kind: 'fenced', partition: hosted.partition, lapse: false });
  }
  feed(world, node, { kind: 'close' });
}

function stopClosed(world: World, lastsMs: number, node: Node): void {
  if (node.isSuspended) return scheduleFor(world, node, node.leaseMs, stopClosed, lastsMs);
  stop(world, node);
  startLater(world, node, restartMs(world, lastsMs));
}
