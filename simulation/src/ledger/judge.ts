// Asserts the invariants at every event that can change belief. Beliefs are compared in real time:
// the judge evaluates the deadline of each node on that node's own clock at the same real instant.
import { localAt, type Real } from '../kernel/clock.ts';
import { type Findings, noteViolation } from '../kernel/findings.ts';
import type { LedTime } from '../kernel/led-time.ts';
import { there } from '../kernel/random.ts';
import type { Belief, Node, World } from './world.ts';

/** The findings and counters so far. */
export interface Judge extends Findings {
  doubleLeaders: number;
  tokenRegressions: number;
  needlessMoves: number;
  renewalGaps: number;
  /** One entry per partition. */
  readonly reigns: Reign[];
}

/** The terms over one partition, as the judge has observed them. */
export interface Reign extends LedTime {
  greatestToken: bigint;
  /** The incarnation that led last. */
  leader: string | undefined;
  /** No successor may lead before this instant: fenced work still has its T (H3). */
  reservedUntil: Real;
}

export function newJudge(partitions: number): Judge {
  const reigns = Array.from({ length: partitions }, newReign);
  return {
    doubleLeaders: 0,
    tokenRegressions: 0,
    broken: new Map(),
    first: undefined,
    needlessMoves: 0,
    renewalGaps: 0,
    reigns,
  };
}

/** Returns the record of the terms over one partition. */
export function reignOf(judge: Judge, partition: number): Reign {
  return there(judge.reigns[partition]);
}

function newReign(): Reign {
  return { greatestToken: -1n, leader: undefined, ledUntil: 0, ledMs: 0, reservedUntil: 0 };
}

/** Records a violation by a node. */
export function violation(
  world: World,
  rule: string,
  node: Node,
  partition: number,
  what: string,
): void {
  noteViolation(world.judge, { rule, now: world.now, partition, who: node.self.incarnation, what });
}

/** Returns whether the node reports leadership to its user at this instant. */
export function believes(world: World, node: Node, belief: Belief): boolean {
  return node.alive && world.rules.host.believes(belief, localAt(node.clock, world.now));
}

/**
 * Checks every invariant that a proof of leadership can break, before the belief changes. Returns
 * whether a term begins.
 */
export function judgeGrant(world: World, node: Node, partition: number, token: bigint): boolean {
  const belief = there(node.beliefs[partition]);
  const prolongs = belief.token === token && believes(world, node, belief);
  judgeOthers(world, node, partition);
  if (prolongs) {
    judgeDrainTime(world, node, partition, belief);
    return false;
  }
  judgeToken(world, node, partition, token, belief);
  judgeWork(world, node, partition);
  return true;
}

function judgeOthers(world: World, node: Node, partition: number): void {
  for (const other of world.nodes) {
    if (other === node || !other.alive) continue;
    if (other.self.partitions !== node.self.partitions) judgeRoles(world, node, partition, other);
    else if (believes(world, other, there(other.beliefs[partition])))
      doubled(world, node, partition, other);
  }
}

/** Checks roles instead of partitions (R1, R3), because the two members map roles differently. */
function judgeRoles(world: World, node: Node, partition: number, other: Node): void {
  const [m, n] = [node.self.partitions, other.self.partitions];
  for (let role = partition; role < m * n; role += m) {
    if (!believes(world, other, there(other.beliefs[role % n]))) continue;
    return doubled(world, node, partition, other);
  }
}

function doubled(world: World, node: Node, partition: number, other: Node): void {
  world.judge.doubleLeaders += 1;
  violation(
    world,
    'exclusive',
    node,
    partition,
    `believes to lead while ${other.self.incarnation} does`,
  );
}

function judgeToken(
  world: World,
  node: Node,
  partition: number,
  token: bigint,
  belief: Belief,
): void {
  const reign = reignOf(world.judge, partition);
  if (token > reign.greatestToken) {
    reign.greatestToken = token;
    return;
  }
  world.judge.tokenRegressions += 1;
  if (belief.token === token) violation(world, 'T3', node, partition, `revives its term ${token}`);
  else violation(world, 'T1', node, partition, `term ${token} after term ${reign.greatestToken}`);
}

function judgeWork(world: World, node: Node, partition: number): void {
  const { judge, now } = world;
  if (now < reignOf(judge, partition).reservedUntil)
    violation(world, 'H3', node, partition, 'leads before fenced work has had its T');
  for (const other of world.nodes) {
    const before = other.beliefs[partition];
    if (other.alive && before?.ended === 'released' && !before.settled) {
      violation(
        world,
        'H2',
        node,
        partition,
        `leads before the work of ${other.self.incarnation} has drained`,
      );
    }
  }
}

/** Maximum delay of the timers of a host, in milliseconds. */
const timerMs = 50;

function judgeDrainTime(
  world: World,
  node: Node,
  partition: number,
  { drainingSince }: Belief,
): void {
  if (drainingSince === undefined) return;
  const drainedMs = localAt(node.clock, world.now) - drainingSince;
  const mayTakeMs = world.scenario.draining.timeoutMs + timerMs + node.self.thresholdMs;
  if (drainedMs > mayTakeMs)
    violation(world, 'H3', node, partition, 'keeps proving although its work has had its time');
}
