// The liveness counters: events that the protocol permits but should avoid (L8, L9).
import type { LedgerRecord } from '@leadership/core/adapter';
import { there } from '../kernel/random.ts';
import { reignOf } from './judge.ts';
import { bestAround } from './placement.ts';
import type { Node, World } from './world.ts';

/** Counts a change of leader that L9 does not justify. Call this before the term begins. */
export function noteMove(world: World, node: Node, partition: number): void {
  const { leader } = reignOf(world.judge, partition);
  if (leader === undefined || leader === node.self.incarnation) return;
  const previous = world.nodes.find((other) => other.alive && other.self.incarnation === leader);
  if (isTooSoon(world, previous, partition) || isOutOfTurn(world, node, partition))
    world.judge.needlessMoves += 1;
}

/**
 * Returns whether the placement moved the partition twice within 2T, with an allowance for clock
 * drift and reading delay.
 */
function isTooSoon(
  { now, scenario }: World,
  previous: Node | undefined,
  partition: number,
): boolean {
  if (previous === undefined) return false;
  const { ended, givenUp, beganAt } = there(previous.beliefs[partition]);
  return (
    ended === 'released' &&
    !givenUp &&
    now - beganAt < (1.9 * previous.self.thresholdMs) / (1 + scenario.driftRate)
  );
}

/**
 * Returns whether a stand-in leads although a better member was available all the time, so that the
 * partition may have to move again.
 */
function isOutOfTurn(world: World, node: Node, partition: number): boolean {
  const best = bestAround(world, partition);
  if (best === undefined || best === node) return false;
  const longMs = 3 * world.scenario.thresholdMsMax;
  const isSettled = world.now - world.rankedAt > longMs && world.now - best.bornAt > longMs;
  return isSettled && best.beliefs[partition]?.givenUp === false;
}

/**
 * Counts a lease that was handed to a member that cannot take it, because it is away or has
 * forgotten its request (L7).
 */
export function noteHandover(
  { judge, nodes, now }: World,
  partition: number,
  { incarnation, want }: NonNullable<LedgerRecord['to']>,
): void {
  const delegate = nodes.find(({ alive, self }) => alive && self.incarnation === incarnation);
  const isThere =
    delegate !== undefined &&
    now > delegate.pausedUntil &&
    now > delegate.readsCutUntil &&
    delegate.campaigning;
  const remembers = delegate?.partitions[partition]?.wants.some(({ id }) => id === want) ?? false;
  if (!isThere || !remembers) judge.needlessMoves += 1;
}

/** Counts a lease that expired although no fault affected its holder. */
export function noteGap({ judge, now }: World, node: Node): void {
  if (now > node.troubledUntil) judge.renewalGaps += 1;
}
