// Asserts the invariants at every event that can change them. Beliefs are compared in real time:
// the judge evaluates the deadline of each node on that node's own clock at the same real instant.
import { compareEdicts, type EdictStamp } from '@leadership/nerio/internal/protocol';
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
  /** Number of terms that ended in favor of a member with fewer partitions. */
  sharingMoves: number;
  /** Number of checks of the distribution, and number of checks that found it uneven. */
  looks: number;
  unevenLooks: number;
  renewalGaps: number;
  handovers: number;
  slowHandovers: number;
  edicts: number;
  /** Total time of unsuccessful campaigns, over all candidates. Milliseconds. */
  vainMs: number;
  /** Per partition. */
  readonly reigns: Reign[];
}

/** The terms over one partition, as the judge has observed them. */
export interface Reign extends LedTime {
  greatestToken: bigint;
  /** The incarnation that led last. */
  leader: string;
  terms: number;
  /** When the last term was released, if there is no successor yet. */
  releasedAt: Real | undefined;
  /** The latest edicts, in order of creation. */
  readonly edicts: EdictStamp[];
}

export function newJudge(partitions: number): Judge {
  const reigns = Array.from({ length: partitions }, newReign);
  const counters = {
    doubleLeaders: 0,
    tokenRegressions: 0,
    needlessMoves: 0,
    sharingMoves: 0,
    looks: 0,
    unevenLooks: 0,
    renewalGaps: 0,
    handovers: 0,
    slowHandovers: 0,
    edicts: 0,
    vainMs: 0,
  };
  return { ...counters, broken: new Map(), first: undefined, reigns };
}

function newReign(): Reign {
  return {
    greatestToken: -1n,
    leader: '',
    terms: 0,
    ledUntil: 0,
    ledMs: 0,
    releasedAt: undefined,
    edicts: [],
  };
}

/** Returns the record of the terms over one partition. */
export function reignOf(world: World, partition: number): Reign {
  return there(world.judge.reigns[partition]);
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
  for (const other of world.nodes) {
    if (other === node || !believes(world, other, there(other.beliefs[partition]))) continue;
    world.judge.doubleLeaders += 1;
    violation(
      world,
      'exclusive',
      node,
      partition,
      `believes to lead while ${other.self.incarnation} does`,
    );
  }
  const { number } = node.state.electorate;
  if (number < world.epoch.number)
    violation(
      world,
      'N13',
      node,
      partition,
      `leads in epoch ${number} while ${world.epoch.number} runs`,
    );
  if (belief.token === token && believes(world, node, belief)) return false;
  judgeToken(world, node, partition, token, belief);
  judgeWork(world, node, partition);
  return true;
}

function judgeToken(
  world: World,
  node: Node,
  partition: number,
  token: bigint,
  belief: Belief,
): void {
  const reign = reignOf(world, partition);
  if (token > reign.greatestToken) {
    reign.greatestToken = token;
    return;
  }
  world.judge.tokenRegressions += 1;
  if (belief.token === token) violation(world, 'T3', node, partition, `revives its term ${token}`);
  else violation(world, 'N16', node, partition, `term ${token} after term ${reign.greatestToken}`);
}

function judgeWork(world: World, node: Node, partition: number): void {
  for (const other of world.nodes) {
    const before = there(other.beliefs[partition]);
    if (other.alive && before.ended === 'released' && !before.settled) {
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

/** Checks a new edict: its creator must lead, and it must be ordered after all earlier edicts. */
export function judgeEdict(world: World, node: Node, stamp: EdictStamp): void {
  const { partition } = stamp;
  const { edicts } = reignOf(world, partition);
  world.judge.edicts += 1;
  if (!believes(world, node, there(node.beliefs[partition])))
    violation(world, 'N8', node, partition, 'creates an edict without leading');
  for (const before of edicts) {
    const order = compareEdicts(before, stamp, node.rules.precedes);
    if (order !== 'before')
      violation(world, 'N8', node, partition, `an earlier edict is ${order} a later one`);
  }
  edicts.push(stamp);
  if (edicts.length > edictsKept) edicts.shift();
}

/** Number of previous edicts that each edict is compared with. */
const edictsKept = 12;

/** Checks whether the partitions are distributed evenly over the healthy members. */
export function judgeSpread({ judge, nodes, now, epoch }: World): void {
  const well = nodes.filter(({ alive, campaigning, troubledUntil, self }) => {
    const isMember = epoch.members.some(
      ({ member, stands }) => member === self.member && stands !== false,
    );
    return alive && campaigning && now > troubledUntil && isMember;
  });
  const counts = well.map(
    (node) => node.state.claims.filter(({ tenure }) => tenure.kind !== 'follower').length,
  );
  judge.looks += 1;
  if (counts.length > 0 && Math.max(...counts) > Math.min(...counts) + 1) judge.unevenLooks += 1;
}
