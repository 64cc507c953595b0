// The counters of liveness: what the protocol may do, but should not (L8, L9).
import type { Delegate } from '@leadership/core/ledger';
import { reignOf } from './judge.ts';
import { bestAround } from './placement.ts';
import { there } from './random.ts';
import type { Node, World } from './world.ts';

/** A term is about to begin: counts a change of hands that L9 has no use for. */
export function noteMove(world: World, node: Node, partition: number): void {
  const { leader } = reignOf(world.judge, partition);
  if (leader === undefined || leader === node.self.incarnation) return;
  const previous = world.nodes.find((other) => other.alive && other.self.incarnation === leader);
  if (isTooSoon(world, previous, partition) || isOutOfTurn(world, node, partition)) world.judge.needlessMoves += 1;
}

/** A partition changes hands for placement's sake at most once in 2T; clocks, and the reading of them, are allowed for. */
function isTooSoon({ now, scenario }: World, previous: Node | undefined, partition: number): boolean {
  if (previous === undefined) return false;
  const { ended, givenUp, beganAt } = there(previous.beliefs[partition]);
  return ended === 'released' && !givenUp && now - beganAt < (1.9 * previous.self.thresholdMs) / (1 + scenario.driftRate);
}

/** A stand-in leads although a better one was there and well all the time: the partition may have to move again. */
function isOutOfTurn(world: World, node: Node, partition: number): boolean {
  const best = bestAround(world, partition);
  if (best === undefined || best === node) return false;
  const longMs = 3 * world.scenario.thresholdMsMax;
  const isSettled = world.now - world.rankedAt > longMs && world.now - best.bornAt > longMs;
  return isSettled && best.beliefs[partition]?.givenUp === false;
}

/** A lease is handed to someone: counts it where they cannot take it, as they are away or have forgotten that they asked (L7). */
export function noteHandover({ judge, nodes, now }: World, partition: number, { incarnation, want }: Delegate): void {
  const delegate = nodes.find(({ alive, self }) => alive && self.incarnation === incarnation);
  const isThere = delegate !== undefined && now > delegate.pausedUntil && now > delegate.readsCutUntil && delegate.campaigning;
  const remembers = delegate?.partitions[partition]?.wants.some(({ id }) => id === want) ?? false;
  if (!isThere || !remembers) judge.needlessMoves += 1;
}

/** A lease ran out: counts it where nothing had happened to its holder. */
export function noteGap({ judge, now }: World, node: Node): void {
  if (now > node.troubledUntil) judge.renewalGaps += 1;
}
