import { happens } from '../random.ts';
import { soon } from '../timeline.ts';
import { takeEach } from './engine.ts';
import type { Outcome } from './happening.ts';
import type { Node, World } from './world.ts';

/**
 * The coordinator's outcome: the answer to the last time this member asked to join, or it is old news. A member may know what it
 * was assigned sooner than by which decision.
 */
export function assigned(world: World, node: Node, outcome: Outcome): void {
  if (!node.campaigning || outcome.answers !== node.joins) return;
  const { partitions, generation, alone } = outcome;
  const { numbered, heartbeatMs } = world.scenario;
  const isLate = numbered === 'late' && node.generation !== generation && happens(world.random, lateShare);
  const told = numbered === 'never' || isLate ? undefined : generation;
  node.generation = generation;
  node.joiningUntil = 0;
  takeEach(world, node, (partition) => ({ kind: 'assigned', mine: partitions.has(partition), generation: told, alone }));
  if (isLate) soon(world, heartbeatMs, { kind: 'assigned', node: node.index, life: node.life, lane: 0, cargo: outcome });
}

/** The share of outcomes whose number is not known at once, where numbers come late. */
const lateShare = 0.5;
