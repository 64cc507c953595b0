// Checks at each event of a world of the ledger lease that no rule is broken, and counts what its
// limits bound.
import { type LedgerRecord, pinRegister } from '@leadership/core/internal/ledger';
import {
  doubled,
  judgeToken,
  judgeWork,
  noteLeading,
  previousLeader,
  recordOf,
  termOf,
  violation,
} from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import type { HostedPartition } from '../kernel/world.ts';
import {
  type ObservedPinStep,
  type ObservedStep,
  relate,
  relatePin,
} from '../relation/relation.ts';
import { bestPresent } from './placement.ts';
import type { Node, World } from './world.ts';

/** Checks a step of the machine against the text of the rules. */
export function judgeStep(world: World, node: Node, partition: number, step: ObservedStep): void {
  const { checked } = world.judge;
  noteRefuted(world, node, partition, relate(defined(node.known[partition]), step, checked));
}

/** Checks a step of the machine of the pin against the text of the rules. */
export function judgePinStep(world: World, node: Node, step: ObservedPinStep): void {
  noteRefuted(world, node, pinRegister, relatePin(node.knownPin, step, world.judge.checked));
}

function noteRefuted(world: World, node: Node, partition: number, guards: readonly string[]): void {
  const { judge } = world;
  for (const guard of guards) {
    judge.refuted ??= { guard, steps: judge.checked.steps };
    violation(world, 'relation', node, partition, guard);
  }
}

/** Checks every invariant that a proof of leadership can break. */
export function judgeProof(
  world: World,
  node: Node,
  hosted: HostedPartition,
  isNew: boolean,
): void {
  const { partition, term, until } = hosted;
  judgeOthers(world, node, partition);
  if (isNew) judgeTerm(world, node, partition, term.token);
  else judgeDrainTime(world, node, hosted);
  noteLeading(world, node, partition, until);
}

function judgeOthers(world: World, node: Node, partition: number): void {
  for (const other of world.nodes) {
    if (other === node || !other.alive) continue;
    if (other.self.partitions !== node.self.partitions) judgeRoles(world, node, partition, other);
    else if (other.hosted[partition]?.leads()) doubled(world, node, partition, other);
  }
}

/** Checks roles instead of partitions (R1, R3), because the two members map roles differently. */
function judgeRoles(world: World, node: Node, partition: number, other: Node): void {
  const [m, n] = [node.self.partitions, other.self.partitions];
  for (let role = partition; role < m * n; role += m)
    if (other.hosted[role % n]?.leads()) return doubled(world, node, partition, other);
}

function judgeTerm(world: World, node: Node, partition: number, token: bigint): void {
  const record = recordOf(world, partition);
  judgeToken(world, node, partition, token, 'T1');
  if (world.now < record.reservedUntil)
    violation(world, 'H3', node, partition, 'leads before fenced work has had its T');
  judgeWork(world, node, partition);
  noteMove(world, node, partition);
  record.leader = node.incarnation;
}

/** Maximum delay of the timers of a host, in milliseconds. */
const timerMs = 50;

function judgeDrainTime(world: World, node: Node, { partition, term }: HostedPartition): void {
  if (term.drainingSince === undefined) return;
  const drainedMs = node.clock.now() - term.drainingSince;
  if (drainedMs > world.scenario.draining.timeoutMs + timerMs + node.leaseMs)
    violation(world, 'H3', node, partition, 'keeps proving although its work has had its time');
}

/** Counts a change of leader that L9 does not justify. */
function noteMove(world: World, node: Node, partition: number): void {
  const { leader } = recordOf(world, partition);
  if (leader === '' || leader === node.incarnation) return;
  if (isTooSoon(world, partition) || isOutOfTurn(world, node, partition))
    world.judge.needlessMoves += 1;
}

/**
 * Returns whether the placement moved the partition twice within 2T, with an allowance for clock
 * drift and reading delay.
 */
function isTooSoon(world: World, partition: number): boolean {
  const previous = previousLeader(world, partition);
  if (previous === undefined) return false;
  const { ended, givenUp, beganAt } = termOf(previous, partition);
  const leastMs = (1.9 * previous.leaseMs) / (1 + world.scenario.driftRate);
  return ended === 'released' && !givenUp && world.now - beganAt < leastMs;
}

/**
 * Returns whether a stand-in leads although a better member was available all the time, so that the
 * partition may have to move again.
 */
function isOutOfTurn(world: World, node: Node, partition: number): boolean {
  const longMs = 3 * world.scenario.thresholdMsMax;
  if (world.now - world.rankedAt <= longMs) return false;
  const best = bestPresent(world, partition);
  if (best === undefined || best === node || world.now - best.startedAt <= longMs) return false;
  return best.hosted[partition]?.term.givenUp === false;
}

/**
 * Counts a lease that was handed to a member that cannot take it, because it is away or has
 * forgotten its request (L7).
 */
export function noteHandover(
  { judge, nodes, now }: World,
  partition: number,
  { incarnation, requestId }: NonNullable<LedgerRecord['to']>,
): void {
  const delegate = nodes.find((node) => node.alive && node.incarnation === incarnation);
  const isThere =
    delegate !== undefined &&
    now > delegate.pausedUntil &&
    now > delegate.readsCutUntil &&
    delegate.campaigning;
  const remembers =
    delegate?.partitions[partition]?.ownRequests.some(({ id }) => id === requestId) ?? false;
  if (!isThere || !remembers) judge.needlessMoves += 1;
}
