// Checks at each event of a world of induction that no rule is broken, and counts what its limits
// bound. Beliefs are compared in real time: each node evaluates its deadline on its own clock at
// the same real instant.
import {
  type InductionSettings,
  inductionGuarantees,
} from '@leadership/induction/internal/protocol';
import type { Real } from '../kernel/clock.ts';
import { doubled, newCounters, violation } from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import type { HostedPartition } from '../kernel/world.ts';
import type { Scenario } from './scenario.ts';
import {
  type Entry,
  type Group,
  type Judge,
  type Node,
  type Pair,
  type PartitionRecord,
  tickMs,
  type World,
} from './world.ts';

export function newJudge(scenario: Scenario): Judge {
  const { groups, partitions } = scenario;
  return {
    ...newCounters(),
    knownDoubleLeaders: 0,
    longestOverlapMs: 0,
    longestGapMs: 0,
    overlapMsMax: publishedOverlapMs(scenario),
    records: Array.from({ length: groups }, () => Array.from({ length: partitions }, newRecord)),
  };
}

function newRecord(): PartitionRecord {
  const tokens = new Map<string, bigint>();
  return {
    until: 0,
    ledMs: 0,
    leaderlessSince: undefined,
    isGapReported: false,
    pairs: [],
    tokens,
  };
}

/**
 * Returns the limit that the production code publishes for such a member. A broker clock that steps
 * by more than the configured error breaks an assumption. Until the member detects such a step, no
 * limit holds.
 */
function publishedOverlapMs(scenario: Scenario): number {
  const { promise, beats, beatMs, clockErrorMsMax, sessionMs, rebalanceMs } = scenario;
  const numbered = scenario.numbered !== 'never';
  const settings: InductionSettings = {
    promise,
    beats,
    beatMs,
    clockErrorMsMax,
    numbered,
    settles: true,
  };
  const timeouts = { sessionTimeoutMs: sessionMs, rebalanceTimeoutMs: rebalanceMs };
  const traits = { ...timeouts, stamps: 'broker', numbered } as const;
  const { overlapMsMax } = inductionGuarantees(scenario, settings, traits);
  const isBounded = overlapMsMax !== 'unbounded' && scenario.brokerStepMs[1] <= clockErrorMsMax;
  return isBounded ? overlapMsMax : Number.POSITIVE_INFINITY;
}

/** Tolerance for rounding: a millionth of a millisecond. */
const roundingMs = 1e-6;

function recordOf({ judge }: World, group: number, partition: number): PartitionRecord {
  return defined(judge.records[group]?.[partition]);
}

/** Returns the real instant at which the node's latest belief ends, or ended. */
function believedUntil({ hosted, alive, clock }: Node, partition: number): Real {
  const host = hosted[partition];
  if (!alive || host === undefined) return Number.NEGATIVE_INFINITY;
  return host.term.ended === 'no' ? clock.realAt(host.until) : host.term.endedAt;
}

/** Updates the statistics of all partitions up to now. Call this before a change of clocks. */
export function settleAll(world: World): void {
  world.judge.records.forEach((records, group) => {
    records.forEach((_, partition) => {
      settle(world, group, partition);
    });
  });
}

/**
 * Updates the statistics of one partition up to now. Call this before a term begins and after one
 * has ended. In between, beliefs can only be extended or expire.
 */
export function settle(world: World, group: number, partition: number): void {
  const { now, nodes } = world;
  const record = recordOf(world, group, partition);
  let ledUntil = record.until;
  for (const node of nodes) {
    if (node.group === group)
      ledUntil = Math.max(ledUntil, Math.min(now, believedUntil(node, partition)));
  }
  record.ledMs += ledUntil - record.until;
  const wasLed =
    ledUntil > record.until || (record.leaderlessSince === undefined && record.tokens.size > 0);
  if (ledUntil < now && wasLed) record.leaderlessSince = ledUntil;
  record.until = now;
  if (record.pairs.length > 0)
    record.pairs = record.pairs.filter((pair) => settlePair(world, group, partition, pair) > now);
  judgeGap(world, group, partition, record);
}

/**
 * Checks how long two nodes both led after the last assignment. If assignments alternate faster
 * than the limit, so does the role of the old leader. Returns when they no longer both lead.
 */
function settlePair(world: World, group: number, partition: number, pair: Pair): Real {
  const { judge, groups, now, scenario } = world;
  const [one, other] = pair.nodes;
  const end = Math.min(believedUntil(one, partition), believedUntil(other, partition));
  const { movedAt, deletedAt } = defined(groups[group]);
  const until = Math.min(now, end);
  const overlapMs = until - Math.max(pair.since, defined(movedAt[partition]));
  judge.longestOverlapMs = Math.max(judge.longestOverlapMs, overlapMs);
  // After the deletion of a group, generations do not order its members until all members have
  // joined again, or left and drained.
  const isExpected = until - deletedAt < 3 * scenario.thresholdMs + scenario.draining.timeoutMs;
  const isTooLong = overlapMs > judge.overlapMsMax + roundingMs && !isExpected;
  if (isTooLong && !pair.isReported && scenario.promise === 'continuous') {
    pair.isReported = true;
    const what = `leads beside ${other.incarnation} for ${overlapMs.toFixed(1)} ms`;
    violation(world, 'overlap', one, partition, what);
  }
  return end;
}

function judgeGap(world: World, group: number, partition: number, record: PartitionRecord): void {
  const { now, judge, scenario, nodes } = world;
  if (record.leaderlessSince === undefined) return;
  const gapMs = now - record.leaderlessSince;
  judge.longestGapMs = Math.max(judge.longestGapMs, gapMs);
  if (record.isGapReported || gapMs <= (scenario.gapMsMax ?? Number.POSITIVE_INFINITY)) return;
  record.isGapReported = true;
  const what = `and no other member of its group leads since ${record.leaderlessSince.toFixed(3)} ms`;
  violation(world, 'gap', defined(nodes[group]), partition, what);
}

/** Checks some time after a member can write again that it takes its share again (I9). */
export function judgeReturn(world: World, node: Node, lastsMs: number): void {
  const { thresholdMs } = world.scenario;
  scheduleFor(world, node, lastsMs + 3 * thresholdMs, judgeReturned, undefined);
}

function judgeReturned(world: World, _content: undefined, node: Node): void {
  const { owners, sessions } = defined(world.groups[node.group]);
  const owned = owners.filter((owner) => owner === node.incarnation).length;
  const share = Math.floor(owners.length / sessions.size);
  const partition = node.partitions.findIndex(({ unreturned }) => unreturned);
  const what = `has ${owned} of ${owners.length} partitions, although its beats come back`;
  if (partition >= 0 || owned < share) violation(world, 'I9', node, Math.max(0, partition), what);
}

/** Counts a rebalance: while no member can write, none of them helps (I9). */
export function judgeRebalance(world: World, group: Group): void {
  const { now, scenario, nodes } = world;
  if (now >= group.refusedUntil) return;
  group.refusedRebalances += 1;
  const most = scenario.nodes * (scenario.refusedRebalancesPerNodeMax ?? Number.POSITIVE_INFINITY);
  if (group.refusedRebalances !== most + 1) return;
  const what = `and its group are assigned their partitions again and again, although none of them can write`;
  violation(world, 'storm', defined(nodes[group.index]), 0, what);
}

/** A term that its leader has resigned, and since when the process has not paused. */
interface Resignation {
  readonly partition: number;
  readonly token: bigint;
  readonly since: Real;
}

/**
 * Checks later whether the term that a leader has just resigned is over. It drains after T without a
 * successor. If the partition is assigned to it again by then, it drains once an own beat returns, or
 * expires T after the last one. The drain has a time limit (H2, H3).
 */
export function judgeResignation(
  world: World,
  node: Node,
  { partition, term: { token } }: HostedPartition,
): void {
  const { thresholdMs, driftRate, draining } = world.scenario;
  const limitMs = (2 * thresholdMs + draining.timeoutMs + 3 * tickMs(node)) / (1 - driftRate);
  const resignation: Resignation = { partition, token, since: world.now };
  scheduleFor(world, node, limitMs, judgeResigned, resignation);
}

function judgeResigned(world: World, resignation: Resignation, node: Node): void {
  const { partition, token, since } = resignation;
  const hosted = defined(node.hosted[partition]);
  if (hosted.term.token !== token || !hosted.leads()) return;
  // Timers do not fire during a pause.
  if (node.pausedUntil > since) return judgeResignation(world, node, hosted);
  const what = `still leads in term ${token}, which it resigned at ${since.toFixed(3)} ms`;
  violation(world, 'H2', node, partition, what);
}

/**
 * Restarts the overlap measurements of a leader that yielded and then resumes, because the overlap
 * limit applies to each change of leader.
 */
export function judgeResumption(world: World, node: Node, partition: number): void {
  settle(world, node.group, partition);
  const record = recordOf(world, node.group, partition);
  record.pairs = record.pairs.map((pair) =>
    pair.nodes.includes(node) ? { ...pair, since: world.now, isReported: false } : pair,
  );
}

/** Checks a term that has begun. The statistics are up to date. */
export function judgeBegin(world: World, node: Node, { partition, term }: HostedPartition): void {
  const { nodes, now, judge, groups, scenario } = world;
  const record = recordOf(world, node.group, partition);
  if (record.leaderlessSince !== undefined) judge.renewalGaps += 1;
  record.leaderlessSince = undefined;
  record.isGapReported = false;
  judgeToken(world, node, partition, term.token, record);
  if (defined(groups[node.group]).owners[partition] !== node.incarnation) judge.needlessMoves += 1;
  for (const other of nodes) {
    if (other === node || other.group !== node.group || believedUntil(other, partition) <= now)
      continue;
    record.pairs = [...record.pairs, { nodes: [node, other], since: now, isReported: false }];
    if (scenario.promise === 'exclusive') judgeDouble(world, node, partition, other);
  }
}

function judgeDouble(world: World, node: Node, partition: number, other: Node): void {
  if (isExcused(world, node, partition) || isExcused(world, other, partition))
    world.judge.knownDoubleLeaders += 1;
  else doubled(world, node, partition, other);
}

/**
 * Returns whether the known gap in exclusiveness applies. Without numbered assignments (I5), a
 * member that lost the partition unnoticed but can still write continues to prove its leadership.
 */
function isExcused({ scenario }: World, node: Node, partition: number): boolean {
  return scenario.numbered === 'never' && !defined(node.provenOwn[partition]);
}

function judgeToken(
  world: World,
  node: Node,
  partition: number,
  token: bigint,
  { tokens }: PartitionRecord,
): void {
  const before = tokens.get(node.incarnation) ?? -1n;
  tokens.set(node.incarnation, token);
  if (token > before) return;
  world.judge.tokenRegressions += 1;
  violation(world, 'T3', node, partition, `term ${token} after its term ${before}`);
}

/**
 * Checks a moved `provedAt`: it is never later than the publication of the beat (I2). A step of a
 * broker clock may mislead a member by `clockErrorMsMax`. It may mislead by more only until the
 * member has read a beat of its own with a later stamp.
 */
export function judgeReceived(
  world: World,
  node: Node,
  partition: number,
  entry: Entry,
  before: number,
): void {
  const { provedAt } = defined(node.partitions[partition]);
  if (provedAt <= before) return;
  node.provenOwn[partition] = entry.isOwners;
  const { broker } = defined(world.logs[partition]);
  const mayMislead = defined(world.brokers[broker]).steps > 0 || entry.steps > 0;
  if (mayMislead && defined(node.positions[partition]).steps !== entry.steps) return;
  const allowedMs = roundingMs + (mayMislead ? world.scenario.clockErrorMsMax : 0);
  const aheadMs = provedAt - node.clock.nowAt(entry.at);
  const what = `takes a beat to be ${aheadMs.toFixed(3)} ms younger than it is`;
  if (aheadMs > allowedMs) violation(world, 'I2', node, partition, what);
  if (provedAt > node.clock.now())
    violation(world, 'I2', node, partition, 'takes a beat to come from the future');
}

/** Returns the share of time without a leader, over all partitions. */
export function leaderlessShare({ judge, now }: World): number {
  const records = judge.records.flat();
  const ledMs = records.reduce((sum, record) => sum + record.ledMs, 0);
  return Math.max(0, 1 - ledMs / (records.length * now));
}
