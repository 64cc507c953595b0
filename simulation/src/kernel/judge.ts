// Checks in every world that no two members lead at once and that tokens grow, and counts moves and
// gaps. The judge asserts the invariants at every event that can change belief. Beliefs are
// compared in real time: each node evaluates its deadline on its own clock at the same real
// instant.
import type { Real } from './clock.ts';
import { type Findings, noteViolation } from './findings.ts';
import type { TermEnd } from './host.ts';
import { type LedTime, noteEnded, noteLed } from './led-time.ts';
import { defined } from './random.ts';
import type { HostedPartition, HostedTerm, Process, World } from './world.ts';

/** The counters so far, for any protocol. */
export interface CommonJudge extends Findings {
  doubleLeaders: number;
  tokenRegressions: number;
  /** Number of changes of leader that the placement does not justify. */
  needlessMoves: number;
  /** Number of leases that expired although no fault affected their holders. */
  renewalGaps: number;
}

/** The terms over one partition, as every judge remembers them. */
export interface TermRecord extends LedTime {
  greatestToken: bigint;
}

/** The judge of a protocol with at most one leader per partition. */
export interface ExclusiveJudge extends CommonJudge {
  readonly records: readonly TermRecord[];
}

/** A judge of hosts with a lease per partition. */
export interface Judge extends ExclusiveJudge {
  readonly records: readonly PartitionRecord[];
  /** Number of releases that a term followed, and of those that it followed late. */
  handovers: number;
  slowHandovers: number;
  /** Number of terms that ended in favor of a member with fewer partitions. */
  sharingMoves: number;
  /** Number of checks of the distribution, and number of checks that found it uneven. */
  looks: number;
  unevenLooks: number;
}

/** The terms over one partition, as the judge has observed them. */
interface PartitionRecord extends TermRecord {
  terms: number;
  /** The incarnation that led last. */
  leader: string;
  /** When the last term was released, as long as no successor leads. */
  releasedAt: Real | undefined;
}

export interface JudgedWorld<Node extends Process = Process> extends World<Node> {
  readonly judge: Judge;
}

/** Returns the counters of a world before its first event, for any protocol. */
export function newCounters(): CommonJudge {
  return {
    broken: new Map(),
    faults: new Map(),
    first: undefined,
    doubleLeaders: 0,
    tokenRegressions: 0,
    needlessMoves: 0,
    renewalGaps: 0,
  };
}

/** Returns the judge of a world before its first event. */
export function newJudge(partitions: number): Judge {
  return {
    ...newCounters(),
    handovers: 0,
    slowHandovers: 0,
    sharingMoves: 0,
    looks: 0,
    unevenLooks: 0,
    records: Array.from({ length: partitions }, newRecord),
  };
}

function newRecord(): PartitionRecord {
  return {
    terms: 0,
    greatestToken: -1n,
    leader: '',
    releasedAt: undefined,
    ledUntil: 0,
    ledMs: 0,
  };
}

/** Returns the record of the terms over one partition. */
function recordOf({ judge }: JudgedWorld, partition: number): PartitionRecord {
  return defined(judge.records[partition]);
}

/** Records a violation by a node. */
export function violation(
  world: World,
  rule: string,
  node: Process,
  partition: number,
  what: string,
): void {
  noteViolation(world.judge, { rule, now: world.now, partition, who: node.incarnation, what });
}

/** Records that two nodes lead at once. */
export function doubled(
  world: World & { readonly judge: CommonJudge },
  node: Process,
  partition: number,
  other: Process,
): void {
  world.judge.doubleLeaders += 1;
  violation(world, 'exclusive', node, partition, `leads while ${other.incarnation} does`);
}

/** Checks that the token of a term that begins is the greatest so far (T1). */
export function judgeToken(
  world: World & { readonly judge: ExclusiveJudge },
  node: Process,
  partition: number,
  token: bigint,
  rule: string,
): void {
  const record = defined(world.judge.records[partition]);
  if (token > record.greatestToken) {
    record.greatestToken = token;
    return;
  }
  world.judge.tokenRegressions += 1;
  const what = `term ${token} after term ${record.greatestToken}`;
  violation(world, rule, node, partition, what);
}

/** Checks a proof that the host has refused: a machine must not revive a term (T3). */
export function judgeRevival(
  world: JudgedWorld,
  node: Process,
  partition: number,
  proof: { readonly token: bigint; readonly until: number },
  rule: string,
): void {
  const { token } = defined(node.hosted[partition]).term;
  if (proof.until <= node.clock.now() || proof.token > token) return;
  world.judge.tokenRegressions += 1;
  const isRevived = proof.token === token;
  violation(
    world,
    isRevived ? 'T3' : rule,
    node,
    partition,
    `leads in its past term ${proof.token}`,
  );
}

/** Checks that the work of every released term has drained (H2). */
export function judgeWork(world: World, node: Process, partition: number): void {
  for (const { alive, hosted, incarnation } of world.nodes) {
    const term = hosted[partition]?.term;
    if (alive && term?.ended === 'released' && !term.settled) {
      const what = `leads before the work of ${incarnation} has drained`;
      violation(world, 'H2', node, partition, what);
    }
  }
}

/**
 * Notes a term that begins: its leader, whether a healthy leader lost the partition to it, and
 * whether it followed a release later than after `slowMs`.
 */
export function noteTerm(
  world: JudgedWorld,
  node: Process,
  partition: number,
  slowMs: number,
): void {
  const { judge, now } = world;
  const record = recordOf(world, partition);
  const before = previousLeader(world, partition);
  const isWell =
    before !== undefined && now > before.troubledUntil && !termOf(before, partition).givenUp;
  if (before !== node && isWell) judge.needlessMoves += 1;
  if (record.releasedAt !== undefined) {
    judge.handovers += 1;
    if (now - record.releasedAt > slowMs) judge.slowHandovers += 1;
  }
  record.releasedAt = undefined;
  record.leader = node.incarnation;
  record.terms += 1;
}

/** Notes the end of a term. */
export function noteEnd(
  world: JudgedWorld,
  _node: Process,
  { partition }: HostedPartition,
  { wasLeading, loss }: TermEnd,
): void {
  const record = recordOf(world, partition);
  if (!wasLeading) return;
  noteEnded(record, world.now);
  if (loss === 'released') record.releasedAt = world.now;
}

/** Counts a term that ends in favor of a member with fewer partitions. */
export function noteShared({ judge }: JudgedWorld, node: Process, partition: number): void {
  termOf(node, partition).givenUp = true;
  judge.sharingMoves += 1;
}

/** Notes the numbers of partitions that the healthy members lead. */
export function noteSpread({ judge }: JudgedWorld, counts: readonly number[]): void {
  judge.looks += 1;
  if (counts.length > 0 && Math.max(...counts) > Math.min(...counts) + 1) judge.unevenLooks += 1;
}

/** Counts a lease that expired although no fault affected its holder. */
export function noteGap({ judge, now }: JudgedWorld, node: Process): void {
  if (now > node.troubledUntil) judge.renewalGaps += 1;
}

/** Records that a node leads, until the deadline of its belief. */
export function noteLeading(
  world: JudgedWorld,
  node: Process,
  partition: number,
  until: number,
): void {
  noteLed(recordOf(world, partition), world.now, node.clock.realAt(until));
}

/** Checks that a partition has been led since a moment, at least for a while. */
export function judgeLed(world: JudgedWorld, node: Process, partition: number, since: Real): void {
  const { ledUntil } = recordOf(world, partition);
  if (ledUntil > since) return;
  violation(world, 'led', node, partition, `no member has led since ${ledUntil.toFixed(3)} ms`);
}

/** Records that the terms of a process end with it. */
export function noteStopped(world: JudgedWorld, node: Process): void {
  node.hosted.forEach((hosted: HostedPartition, partition) => {
    if (hosted.leads()) noteEnded(recordOf(world, partition), world.now);
  });
}

/** Returns the previous leader of a partition, if its process has not stopped. */
function previousLeader<Node extends Process>(
  world: JudgedWorld<Node>,
  partition: number,
): Node | undefined {
  const { leader } = recordOf(world, partition);
  return world.nodes.find(({ alive, incarnation }) => alive && incarnation === leader);
}

/** Returns the latest term of a node over a partition. */
export function termOf({ hosted }: Process, partition: number): HostedTerm {
  return defined(hosted[partition]).term;
}
