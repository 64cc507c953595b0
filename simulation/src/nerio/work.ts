// The work of a term while it drains (H2, H3), the sending of edicts (N8), and the use of
// verification results (N12).

import type { Verdict } from '@leadership/nerio/internal/protocol';
import { localAt, momentAt } from '../kernel/clock.ts';
import { there } from '../kernel/random.ts';
import { take } from './engine.ts';
import { ended } from './host.ts';
import { believes, violation } from './judge.ts';
import { memberNode } from './names.ts';
import type { Node, Publication, World } from './world.ts';

type OfTerm = readonly [partition: number, token: bigint];

/** Processes the end of the work of a term. */
export function settled(world: World, node: Node, [partition, token]: OfTerm): void {
  const belief = there(node.beliefs[partition]);
  if (belief.token !== token) return;
  const mayRelease = !belief.settled && believes(world, node, belief);
  belief.settled = true;
  if (mayRelease) take(world, node, { kind: 'drained', partition });
}

/**
 * Processes a drain timeout. The lease is left to lapse, so that the work has another δ to react
 * (H3).
 */
export function timedOut(world: World, node: Node, [partition, token]: OfTerm): void {
  const belief = there(node.beliefs[partition]);
  if (belief.token !== token || belief.settled || !believes(world, node, belief)) return;
  ended(world, node, partition, 'fenced');
  take(world, node, { kind: 'fenced', partition, lapse: true });
}

/** Sends an edict, unless its creator has stopped leading (N8). */
export function publish(world: World, node: Node, { stamp, until }: Publication): void {
  if (!world.rules.host.maySend(localAt(node.clock, world.now), until)) return;
  if (localAt(node.clock, world.now) >= until)
    violation(world, 'N8', node, stamp.partition, 'sends an edict that is too late');
}

/**
 * Uses a verification result while it is valid (N12). The verified incarnation must lead then, or
 * must have been fenced with its lease still running.
 */
export function rely(
  world: World,
  node: Node,
  { partition, leader, startedAt, remainderMs }: Verdict,
): void {
  const { rules, self, clock } = node;
  if (!rules.relies(startedAt, remainderMs, rules.clock(momentAt(clock, world.now)), self)) return;
  const other = memberNode(world, leader.member);
  const usurper = world.nodes.find(
    (one) =>
      one.self.incarnation !== leader.incarnation &&
      believes(world, one, there(one.beliefs[partition])),
  );
  if (usurper)
    violation(
      world,
      'N12',
      node,
      partition,
      `relies on ${leader.incarnation} while ${usurper.self.incarnation} leads`,
    );
  const isThere = other.alive && other.self.incarnation === leader.incarnation;
  if (isThere && !isLeading(world, other, partition) && !isLapsing(other, partition)) {
    violation(
      world,
      'N12',
      node,
      partition,
      `relies on ${leader.incarnation}, which does not lead`,
    );
  }
}

function isLeading(world: World, node: Node, partition: number): boolean {
  const { tenure } = there(node.state.claims[partition]);
  return tenure.kind !== 'follower' && localAt(node.clock, world.now) < tenure.deadline;
}

/** Returns whether the host ended the term without a release of its grants. */
function isLapsing(node: Node, partition: number): boolean {
  return (
    there(node.beliefs[partition]).ended === 'fenced' &&
    there(node.state.claims[partition]).lastStart !== undefined
  );
}
