// The invariants, asserted at every event that can change belief. Belief is compared in real time: each node's deadline is
// looked at by that node's own clock at the same real instant.
import { type InductionSettings, inductionGuarantees } from '@leadership/core/engine';
import { localAt, type Real, realAt } from '../clock.ts';
import { type Findings, noteViolation } from '../findings.ts';
import { there } from '../random.ts';
import type { InductionScenario } from './scenario.ts';
import type { Entry, Node, World } from './world.ts';

/** What has been seen so far. */
export interface Judge extends Findings {
  doubleLeaders: number;
  /** Two that lead where the assumption is broken that the promise rests on (I5): counted, and no violation. */
  knownDoubleLeaders: number;
  tokenRegressions: number;
  /** Terms that began with a member that the coordinator had not assigned the partition. */
  needlessMoves: number;
  /** How often nobody led who had led before. */
  renewalGaps: number;
  /** The longest time for which two led, and for which nobody did. Milliseconds. */
  longestOverlapMs: number;
  longestGapMs: number;
  /** By broker: how often its clock has stepped. */
  readonly steps: number[];
  readonly overlapMsMax: number;
  /** By group, then by partition. */
  readonly watches: readonly (readonly Watch[])[];
}

/** What is known of one partition's leaders, up to a moment. */
interface Watch {
  until: Real;
  ledMs: number;
  /** Since when nobody leads, where somebody did before. */
  unledSince: Real | undefined;
  isGapTold: boolean;
  /** Two nodes, by a number for the pair → since when both lead. */
  readonly pairs: Map<number, Pair>;
  readonly tokens: Map<string, bigint>;
}

interface Pair {
  readonly since: Real;
  isTold: boolean;
}

export function newJudge(scenario: InductionScenario): Judge {
  const { groups, partitions, brokers } = scenario;
  const newWatch = (): Watch => ({ until: 0, ledMs: 0, unledSince: undefined, isGapTold: false, pairs: new Map(), tokens: new Map() });
  return {
    doubleLeaders: 0,
    knownDoubleLeaders: 0,
    tokenRegressions: 0,
    broken: new Map(),
    first: undefined,
    needlessMoves: 0,
    renewalGaps: 0,
    longestOverlapMs: 0,
    longestGapMs: 0,
    steps: Array.from({ length: brokers }, () => 0),
    overlapMsMax: publishedOverlapMs(scenario),
    watches: Array.from({ length: groups }, () => Array.from({ length: partitions }, newWatch)),
  };
}

/**
 * What the production code publishes for such a member: it is held to that very number. A broker's clock that steps by more than
 * it is known to breaks an assumption, and until that is noticed nothing is promised.
 */
function publishedOverlapMs(scenario: InductionScenario): number {
  const { promise, beats, beatMs, clockErrorMsMax, sessionMs, rebalanceMs, brokerStepMs } = scenario;
  const numbered = scenario.numbered !== 'never';
  const settings: InductionSettings = { promise, beats, beatMs, clockErrorMsMax, numbered };
  const traits = { sessionTimeoutMs: sessionMs, rebalanceTimeoutMs: rebalanceMs, stamps: 'broker', numbered } as const;
  const { overlapMsMax } = inductionGuarantees(scenario, settings, traits);
  const isBounded = overlapMsMax !== 'unbounded' && brokerStepMs[1] <= clockErrorMsMax;
  return isBounded ? overlapMsMax : Number.POSITIVE_INFINITY;
}

function violation({ judge, now }: World, rule: string, partition: number, who: string, what: string): void {
  noteViolation(judge, { rule, now, partition, who, what });
}

/** For rounding: a millionth of a millisecond. */
const roundingMs = 1e-6;

/** Until when in real time the node believes to lead, as things stand; nothing where it does not. */
function believedUntil({ beliefs, alive, clock }: Node, partition: number): Real {
  const belief = beliefs[partition];
  return !alive || belief === undefined || belief.ended ? Number.NEGATIVE_INFINITY : realAt(clock, belief.until);
}

/** Everything up to now goes into the books, before anything changes. */
export function settleAll(world: World): void {
  world.judge.watches.forEach((watches, group) => watches.forEach((_, partition) => settleAccounts(world, group, partition)));
}

/** The same for one partition. Since it was done last, belief can only have ended. */
export function settleAccounts(world: World, group: number, partition: number): void {
  const { now, nodes } = world;
  const watch = watchOf(world, group, partition);
  let ledUntil = watch.until;
  for (const node of nodes) {
    if (node.group === group) ledUntil = Math.max(ledUntil, Math.min(now, believedUntil(node, partition)));
  }
  watch.ledMs += ledUntil - watch.until;
  if (ledUntil < now && ledUntil > watch.until) watch.unledSince = ledUntil;
  else if (ledUntil < now && watch.unledSince === undefined && watch.tokens.size > 0) watch.unledSince = ledUntil;
  watch.until = now;
  for (const [key, pair] of watch.pairs) settlePair(world, group, partition, key, pair);
  judgeGap(world, watch, partition);
}

/** Two may lead for so long after the coordinator's last word: where it goes back and forth faster than that, so does who is the old one. */
function settlePair(world: World, group: number, partition: number, key: number, pair: Pair): void {
  const { judge, nodes, groups, now } = world;
  const [one, other] = [there(nodes[Math.floor(key / nodes.length)]), there(nodes[key % nodes.length])];
  const end = Math.min(believedUntil(one, partition), believedUntil(other, partition));
  const overlapMs = Math.min(now, end) - Math.max(pair.since, there(there(groups[group]).movedAt[partition]));
  judge.longestOverlapMs = Math.max(judge.longestOverlapMs, overlapMs);
  const isTooLong = overlapMs > judge.overlapMsMax + roundingMs && !isExpected(world, group);
  if (isTooLong && !pair.isTold && world.scenario.promise === 'continuous') {
    pair.isTold = true;
    violation(
      world,
      'overlap',
      partition,
      `${one.self.incarnation} and ${other.self.incarnation}`,
      `both lead for ${overlapMs.toFixed(1)} ms`,
    );
  }
  if (end <= now) watchOf(world, group, partition).pairs.delete(key);
}

/** Once a group was deleted its numbers say nothing about who came later, until everybody has joined anew, or left and drained. */
function isExpected({ groups, now, scenario: { thresholdMs, draining } }: World, group: number): boolean {
  return now - there(groups[group]).deletedAt < 3 * thresholdMs + draining.timeoutMs;
}

function judgeGap(world: World, watch: Watch, partition: number): void {
  const { now, judge, scenario } = world;
  if (watch.unledSince === undefined) return;
  const gapMs = now - watch.unledSince;
  judge.longestGapMs = Math.max(judge.longestGapMs, gapMs);
  if (watch.isGapTold || gapMs <= (scenario.gapMsMax ?? Number.POSITIVE_INFINITY)) return;
  watch.isGapTold = true;
  violation(world, 'gap', partition, 'nobody', `leads since ${watch.unledSince.toFixed(3)} ms`);
}

/** A leader that had made room goes on after all: what is promised of two that lead is promised for each change of hands. */
export function judgeResumption(world: World, { index, group }: Node, partition: number): void {
  settleAccounts(world, group, partition);
  const { pairs } = watchOf(world, group, partition);
  const count = world.nodes.length;
  for (const key of pairs.keys()) {
    if (Math.floor(key / count) === index || key % count === index) pairs.set(key, { since: world.now, isTold: false });
  }
}

/** A term has begun: accounts are settled, and belief is changed already. */
export function judgeBegin(world: World, node: Node, partition: number): void {
  const { nodes, now, judge, groups } = world;
  const watch = watchOf(world, node.group, partition);
  if (watch.unledSince !== undefined) judge.renewalGaps += 1;
  watch.unledSince = undefined;
  watch.isGapTold = false;
  judgeToken(world, node, partition, watch);
  if (there(groups[node.group]).owners[partition] !== node.self.incarnation) judge.needlessMoves += 1;
  for (const other of nodes) {
    if (other === node || other.group !== node.group || believedUntil(other, partition) <= now) continue;
    watch.pairs.set(Math.min(node.index, other.index) * nodes.length + Math.max(node.index, other.index), { since: now, isTold: false });
    if (world.scenario.promise === 'exclusive') doubled(world, node, partition, other);
  }
}

function doubled(world: World, node: Node, partition: number, other: Node): void {
  if (isExcused(world, node, partition) || isExcused(world, other, partition)) {
    world.judge.knownDoubleLeaders += 1;
    return;
  }
  world.judge.doubleLeaders += 1;
  violation(world, 'exclusive', partition, node.self.incarnation, `begins to lead while ${other.self.incarnation} does`);
}

/**
 * The hole that exclusiveness has where the coordinator's decisions are not numbered (I5): a member that lost the partition without
 * knowing, and can still write to it, goes on proving itself.
 */
function isExcused({ scenario }: World, node: Node, partition: number): boolean {
  return scenario.numbered === 'never' && !there(node.provenOwn[partition]);
}

function judgeToken(world: World, node: Node, partition: number, watch: Watch): void {
  const { token } = there(node.beliefs[partition]);
  const before = watch.tokens.get(node.self.incarnation) ?? -1n;
  watch.tokens.set(node.self.incarnation, token);
  if (token > before) return;
  world.judge.tokenRegressions += 1;
  violation(world, 'T3', partition, node.self.incarnation, `term ${token} after its term ${before}`);
}

/**
 * A beat was heard, and V may have moved: never beyond the moment at which the beat was published (I2). A broker clock that steps
 * may mislead a member by `clockErrorMsMax`; by more only until it has heard a beat of its own that was stamped since.
 */
export function judgeHeard(world: World, node: Node, partition: number, entry: Entry, before: number, hasCompared: boolean): void {
  const { provedAt } = there(node.partitions[partition]);
  if (provedAt <= before) return;
  node.provenOwn[partition] = entry.isOwners;
  const steps = there(world.judge.steps[there(world.logs[partition]).broker]) > 0 || entry.steps > 0;
  if (steps && !hasCompared) return;
  const allowedMs = roundingMs + (steps ? world.scenario.clockErrorMsMax : 0);
  const aheadMs = provedAt - there(entry.locals[node.index]);
  if (aheadMs > allowedMs)
    violation(world, 'I2', partition, node.self.incarnation, `takes a beat to be ${aheadMs.toFixed(3)} ms younger than it is`);
  if (provedAt > localAt(node.clock, world.now))
    violation(world, 'I2', partition, node.self.incarnation, 'takes a beat to come from the future');
}

/** The share of time in which nobody led, over all partitions that were ever led. */
export function leaderlessShare({ judge, now }: World): number {
  const watches = judge.watches.flat();
  return Math.max(0, 1 - watches.reduce((sum, { ledMs }) => sum + ledMs, 0) / (watches.length * now));
}

function watchOf({ judge }: World, group: number, partition: number): Watch {
  return there(judge.watches[group]?.[partition]);
}
