import { happens } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { takeEach } from './engine.ts';
import type { Outcome } from './happening.ts';
import type { Node, World } from './world.ts';

/**
 * Processes an assignment. The member ignores it unless it answers the latest request to join. The
 * member may learn its partitions before the generation of the assignment.
 */
export function assigned(world: World, node: Node, outcome: Outcome): void {
  if (!node.campaigning || outcome.answers !== node.joins) return;
  const { partitions, generation, alone } = outcome;
  const { numbered, heartbeatMs } = world.scenario;
  const isLate =
    numbered === 'late' && node.generation !== generation && happens(world.random, lateShare);
  const told = numbered === 'never' || isLate ? undefined : generation;
  node.generation = generation;
  node.joiningUntil = 0;
  takeEach(world, node, (partition) => ({
    kind: 'assigned',
    mine: partitions.has(partition),
    generation: told,
    alone,
  }));
  if (isLate)
    soon(world, heartbeatMs, {
      kind: 'assigned',
      node: node.index,
      life: node.life,
      lane: 0,
      cargo: outcome,
    });
}

/** Share of assignments whose generation arrives later, in scenarios with late generations. */
const lateShare = 0.5;
