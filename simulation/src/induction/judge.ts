// Asserts the invariants at every event that can change belief. Beliefs are compared in real time:
// the judge evaluates the deadline of each node on that node's own clock at the same real instant.
import { type InductionSettings, inductionGuarantees } from '@leadership/core/internal/induction';
import { localAt, type Real, realAt } from '../kernel/clock.ts';
import { type Findings, noteViolation } from '../kernel/findings.ts';
import { there } from '../kernel/random.ts';
import type { InductionScenario } from './scenario.ts';
import type { Entry, Node, World } from './world.ts';

/** The findings and counters so far. */
export interface Judge extends Findings {
  doubleLeaders: number;
  /**
   * Double leaders in a situation where an assumption of the guarantee did not hold (I5). They are
   * counted, but are no violation.
   */
  knownDoubleLeaders: number;
  tokenRegressions: number;
  /** Number of terms of members to which the coordinator had not assigned the partition. */
  needlessMoves: number;
  /** Number of gaps without a leader, after the first term of a partition. */
  renewalGaps: number;
  /** The longest time with two leaders, and the longest without one. Milliseconds. */
  longestOverlapMs: number;
  longestGapMs: number;
  /** Per broker: the number of steps of its clock. */
  readonly steps: number[];
  readonly overlapMsMax: number;
  /** Per group, then per partition. */
  readonly watches: readonly (readonly Watch[])[];
}

/** The leaders of one partition, up to the instant `until`. */
interface Watch {
  until: Real;
  ledMs: number;
  /** Since when there is no leader, if there was one before. */
  unledSince: Real | undefined;
  isGapTold: boolean;
  /** Pairs of nodes that both lead, by the number of the pair. */
  readonly pairs: Map<number, Pair>;
  readonly tokens: Map<string, bigint>;
}

interface Pair {
  readonly since: Real;
  isTold: boolean;
}

export function newJudge(scenario: InductionScenario): Judge {
  const { groups, partitions, brokers } = scenario;
  const newWatch = (): Watch => ({
    until: 0,
    ledMs: 0,
    unledSince: undefined,
    isGapTold: false,
    pairs: new Map(),
    tokens: new Map(),
  });
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
 * Returns the limit that the production code publishes for such a member. A broker clock that steps
 * by more than the configured error breaks an assumption. Until the member detects such a step, no
 * limit holds.
 */
function publishedOverlapMs(scenario: InductionScenario): number {
  const { promise, beats, beatMs, clockErrorMsMax, sessionMs, rebalanceMs, brokerStepMs } =
    scenario;
  const numbered = scenario.numbered !== 'never';
  const settings: InductionSettings = { promise, beats, beatMs, clockErrorMsMax, numbered };
  const traits = {
    sessionTimeoutMs: sessionMs,
    rebalanceTimeoutMs: rebalanceMs,
    stamps: 'broker',
    numbered,
  } as const;
  const { overlapMsMax } = inductionGuarantees(scenario, settings, traits);
  const isBounded = overlapMsMax !== 'unbounded' && brokerStepMs[1] <= clockErrorMsMax;
  return isBounded ? overlapMsMax : Number.POSITIVE_INFINITY;
}

function violation(
  { judge, now }: World,
  rule: string,
  partition: number,
  who: string,
  what: string,
): void {
  noteViolation(judge, { rule, now, partition, who, what });
}

/** Tolerance for rounding: a millionth of a millisecond. */
const roundingMs = 1e-6;

/**
 * Returns the real instant at which the node's belief ends. Negative infinity if the node does not
 * lead.
 */
function believedUntil({ beliefs, alive, clock }: Node, partition: number): Real {
  const belief = beliefs[partition];
  return !alive || belief === undefined || belief.ended
    ? Number.NEGATIVE_INFINITY
    : realAt(clock, belief.until);
}

/**
 * Updates the statistics of all partitions up to now. Call this before a change of clocks or
 * beliefs.
 */
export function settleAll(world: World): void {
  world.judge.watches.forEach((watches, group) =>
    watches.forEach((_, partition) => settleAccounts(world, group, partition)),
  );
}

/** Updates the statistics of one partition. Since the last update, beliefs can only have ended. */
export function settleAccounts(world: World, group: number, partition: number): void {
  const { now, nodes } = world;
  const watch = watchOf(world, group, partition);
  let ledUntil = watch.until;
  for (const node of nodes) {
    if (node.group === group)
      ledUntil = Math.max(ledUntil, Math.min(now, believedUntil(node, partition)));
  }
  watch.ledMs += ledUntil - watch.until;
  if (ledUntil < now && ledUntil > watch.until) watch.unledSince = ledUntil;
  else if (ledUntil < now && watch.unledSince === undefined && watch.tokens.size > 0)
    watch.unledSince = ledUntil;
  watch.until = now;
  for (const [key, pair] of watch.pairs) settlePair(world, group, partition, key, pair);
  judgeGap(world, watch, partition);
}

/**
 * Checks how long two nodes both led after the last assignment. If assignments alternate faster
 * than the limit, so does the role of the old leader.
 */
function settlePair(world: World, group: number, partition: number, key: number, pair: Pair): void {
  const { judge, nodes, groups, now } = world;
  const [one, other] = [
    there(nodes[Math.floor(key / nodes.length)]),
    there(nodes[key % nodes.length]),
  ];
  const end = Math.min(believedUntil(one, partition), believedUntil(other, partition));
  const overlapMs =
    Math.min(now, end) - Math.max(pair.since, there(there(groups[group]).movedAt[partition]));
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

/**
 * Returns whether an overlap is expected. After the deletion of a group, generations do not order
 * its members until all members have joined again, or left and drained.
 */
function isExpected(
  { groups, now, scenario: { thresholdMs, draining } }: World,
  group: number,
): boolean {
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

/**
 * Restarts the overlap measurements of a leader that yielded and then resumes, because the overlap
 * limit applies to each change of leader.
 */
export function judgeResumption(world: World, { index, group }: Node, partition: number): void {
  settleAccounts(world, group, partition);
  const { pairs } = watchOf(world, group, partition);
  const count = world.nodes.length;
  for (const key of pairs.keys()) {
    if (Math.floor(key / count) === index || key % count === index)
      pairs.set(key, { since: world.now, isTold: false });
  }
}

/**
 * Checks a term that has begun. The statistics are up to date, and the belief has already changed.
 */
export function judgeBegin(world: World, node: Node, partition: number): void {
  const { nodes, now, judge, groups } = world;
  const watch = watchOf(world, node.group, partition);
  if (watch.unledSince !== undefined) judge.renewalGaps += 1;
  watch.unledSince = undefined;
  watch.isGapTold = false;
  judgeToken(world, node, partition, watch);
  if (there(groups[node.group]).owners[partition] !== node.self.incarnation)
    judge.needlessMoves += 1;
  for (const other of nodes) {
    if (other === node || other.group !== node.group || believedUntil(other, partition) <= now)
      continue;
    watch.pairs.set(
      Math.min(node.index, other.index) * nodes.length + Math.max(node.index, other.index),
      { since: now, isTold: false },
    );
    if (world.scenario.promise === 'exclusive') doubled(world, node, partition, other);
  }
}

function doubled(world: World, node: Node, partition: number, other: Node): void {
  if (isExcused(world, node, partition) || isExcused(world, other, partition)) {
    world.judge.knownDoubleLeaders += 1;
    return;
  }
  world.judge.doubleLeaders += 1;
  violation(
    world,
    'exclusive',
    partition,
    node.self.incarnation,
    `begins to lead while ${other.self.incarnation} does`,
  );
}

/**
 * Returns whether the known gap in exclusiveness applies. Without numbered assignments (I5), a
 * member that lost the partition unnoticed but can still write continues to prove its leadership.
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
  violation(
    world,
    'T3',
    partition,
    node.self.incarnation,
    `term ${token} after its term ${before}`,
  );
}

/**
 * Checks a moved `provedAt`: it is never later than the publication of the beat (I2). A step of a
 * broker clock may mislead a member by `clockErrorMsMax`. It may mislead by more only until the
 * member has read a beat of its own with a later stamp.
 */
export function judgeHeard(
  world: World,
  node: Node,
  partition: number,
  entry: Entry,
  before: number,
  hasCompared: boolean,
): void {
  const { provedAt } = there(node.partitions[partition]);
  if (provedAt <= before) return;
  node.provenOwn[partition] = entry.isOwners;
  const steps =
    there(world.judge.steps[there(world.logs[partition]).broker]) > 0 || entry.steps > 0;
  if (steps && !hasCompared) return;
  const allowedMs = roundingMs + (steps ? world.scenario.clockErrorMsMax : 0);
  const aheadMs = provedAt - there(entry.locals[node.index]);
  if (aheadMs > allowedMs)
    violation(
      world,
      'I2',
      partition,
      node.self.incarnation,
      `takes a beat to be ${aheadMs.toFixed(3)} ms younger than it is`,
    );
  if (provedAt > localAt(node.clock, world.now))
    violation(
      world,
      'I2',
      partition,
      node.self.incarnation,
      'takes a beat to come from the future',
    );
}

/** Returns the share of time without a leader, over all partitions. */
export function leaderlessShare({ judge, now }: World): number {
  const watches = judge.watches.flat();
  return Math.max(
    0,
    1 - watches.reduce((sum, { ledMs }) => sum + ledMs, 0) / (watches.length * now),
  );
}

function watchOf({ judge }: World, group: number, partition: number): Watch {
  return there(judge.watches[group]?.[partition]);
}
