// Simulates how a Nerio leader sends edicts, its ordered commands (N8), and how members use
// verification results (N12).
import type { Verdict } from '@leadership/nerio/internal/protocol';
import { termOf, violation } from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { memberNode, type Node, type Publication, type World } from './world.ts';

/** Maximum time between the creation of an edict and its sending, in milliseconds. */
const publishMsMax = 100;

/** Sends an edict after a while. */
export function publishLater(world: World, node: Node, publication: Publication): void {
  scheduleFor(world, node, world.random.next() * publishMsMax, publish, publication);
}

/** Sends an edict, unless its creator has stopped leading (N8). */
function publish(world: World, { stamp, until }: Publication, node: Node): void {
  const now = node.clock.now();
  if (world.driverRules.maySend(now, until) && now >= until)
    violation(world, 'N8', node, stamp.partition, 'sends an edict that is too late');
}

/** Number of times that a verification result is used, at random moments. */
const reliedOn = 3;

/** Uses a verification result several times. */
export function relyLater(world: World, node: Node, verdict: Verdict): void {
  for (let time = 0; time < reliedOn; time += 1) {
    const ms = world.random.next() * world.scenario.leaseMsMax;
    scheduleFor(world, node, ms, rely, verdict);
  }
}

/**
 * Uses a verification result while it is valid (N12). The verified incarnation must lead then, or
 * must have been fenced with its lease still running.
 */
function rely(world: World, verdict: Verdict, node: Node): void {
  const { partition, leader, startedAt, remainderMs } = verdict;
  const { rules, self, clock } = node;
  if (!rules.relies(startedAt, remainderMs, rules.clock(clock.moment()), self)) return;
  const other = memberNode(world, leader.member);
  const usurper = world.nodes.find(
    ({ incarnation, hosted }) => incarnation !== leader.incarnation && hosted[partition]?.leads(),
  );
  const who = `relies on ${leader.incarnation}`;
  if (usurper)
    violation(world, 'N12', node, partition, `${who} while ${usurper.incarnation} leads`);
  const isThere = other.alive && other.incarnation === leader.incarnation;
  if (isThere && !isLeading(other, partition) && !isLapsing(other, partition))
    violation(world, 'N12', node, partition, `${who}, which does not lead`);
}

function isLeading({ state, clock }: Node, partition: number): boolean {
  const { leaseState } = defined(state.claims[partition]);
  return leaseState.kind !== 'follower' && clock.now() < leaseState.deadline;
}

/** Returns whether the host ended the term without a release of its grants. */
function isLapsing(node: Node, partition: number): boolean {
  const { lastStart } = defined(node.state.claims[partition]);
  return termOf(node, partition).ended === 'fenced' && lastStart !== undefined;
}
