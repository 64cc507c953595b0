// The judge compares beliefs in real time: each node evaluates its deadline on its own clock at the
// same instant.
import { doubled, judgeToken, newCounters, violation } from '../kernel/judge.ts';
import { noteEnded, noteLed } from '../kernel/led-time.ts';
import { defined } from '../kernel/random.ts';
import { guards } from '../relation/actions.ts';
import { type ObservedStep, relate } from '../relation/relation.ts';
import { areTokensLost, isLossFresh } from './hidden-loss.ts';
import { noteHandOver } from './needless.ts';
import { hidesLosses, limitOf } from './scenario.ts';
import type { Judge, Node, PartitionRecord, World } from './world.ts';

export function newJudge(partitions: number): Judge {
  return {
    ...newCounters(),
    terms: 0,
    checked: guards.nothingChecked(),
    refuted: undefined,
    settled: 0,
    gone: new Map(),
    records: Array.from({ length: partitions }, () => ({
      spoiled: undefined,
      greatestToken: -1n,
      holders: new Set<Node>(),
      ledUntil: 0,
      ledMs: 0,
    })),
  };
}

/** Checks a step of the machine against the text of the rules. */
export function judgeStep(world: World, node: Node, step: ObservedStep): void {
  const { judge } = world;
  for (const guard of relate(node.known, step, judge.checked)) {
    judge.refuted ??= { guard, steps: judge.checked.steps };
    violation(world, 'relation', node, -1, guard);
  }
}

function recordOf({ judge }: World, partition: number): PartitionRecord {
  return defined(judge.records[partition]);
}

/** Whether a node leads a partition now, as its application would see it. */
function leads(node: Node, partition: number): boolean {
  return node.alive && node.terms.has(partition) && node.clock.now() < node.until;
}

/** Judges the beginning of a term. */
export function judgeTerm(world: World, node: Node, partition: number, token: bigint): void {
  const record = recordOf(world, partition);
  world.judge.terms += 1;
  record.holders.add(node);
  if (claimedSpoiled(node, partition, record)) record.greatestToken = token;
  else if (!areTokensLost(world)) judgeToken(world, node, partition, token, 'T1');
  judgeWork(world, node, partition);
  judgeLeftWork(world, node, partition);
  judgeYoung(world, node, partition);
  judgeLimit(world, node, partition);
  judgeLeading(world, node, partition);
}

/**
 * Returns whether a node claimed over a record with a token that leaves no room. It may never have read the
 * token that a person has replaced by that one, and its clock may be behind.
 */
function claimedSpoiled({ state }: Node, partition: number, { spoiled }: PartitionRecord): boolean {
  const { record } = defined(state.partitions[partition]);
  if (spoiled === undefined || record?.kind !== 'hold') return false;
  return record.life === spoiled.life && record.version === spoiled.version + 1;
}

/** Judges that a member leads at most as many partitions as it says (M13). */
function judgeLimit(world: World, node: Node, partition: number): void {
  const led = [...node.terms.keys()].filter((one) => leads(node, one)).length;
  const limit = limitOf(world.scenario, node.index);
  if (led > limit)
    violation(world, 'M13', node, partition, `leads ${led} partitions, and its limit is ${limit}`);
}

/** The owners of a partition that are remembered. */
const ownersMax = 2;

/** Notes that another session owns a partition, or none. */
export function noteOwner(world: World, name: string, text: string | null): void {
  const { owners, now } = world;
  const [, partition] = /^partition#(\d+)$/.exec(name) ?? [];
  const session = /"session":"([^"]*)"/.exec(text ?? '')?.[1] ?? '';
  const known = partition === undefined ? undefined : owners[Number(partition)];
  const isHandedOver = text?.startsWith('{"kind":"release"') === true;
  const before = known?.at(-1);
  const isMoved = isHandedOver && session !== '' && before !== undefined && before.session !== '';
  if (isMoved) noteHandOver(world, Number(partition), before);
  known?.push({ session, since: now, isHandedOver });
  if (known !== undefined && known.length > ownersMax) known.shift();
}

/**
 * Judges that proof of death does not free a partition which its owner had for less than T: work that
 * kills its process would kill one member after the other (M10).
 */
function judgeYoung(world: World, node: Node, partition: number): void {
  const { owners, scenario, store } = world;
  const [before, owner] = (owners[partition] ?? []).slice(-2);
  // A partition that a member hands over before it dies is free.
  if (before === undefined || owner === undefined || owner.isHandedOver) return;
  const end = store.rows.get(`session#${before.session}`) ?? '';
  // One that has lapsed is free without proof.
  const isProved = end.includes('"isProved":true');
  if (isProved && owner.since - before.since < 0.99 * scenario.thresholdMs)
    violation(world, 'M10', node, partition, 'follows a term that was young');
}

/** Keeps the work that was given up, as its process continues without its member (H3). */
export function keepWork({ stragglers, leftWork, clock }: Node): void {
  for (const [partition, { until }] of stragglers)
    leftWork.set(partition, Math.max(leftWork.get(partition) ?? 0, clock.realAt(until)));
}

/** Judges that work which was given up has ended before another term begins (H3). */
function judgeWork(world: World, node: Node, partition: number): void {
  for (const other of world.nodes) {
    const straggler = other.stragglers.get(partition);
    if (straggler === undefined || !other.alive) continue;
    const now = other.clock.now();
    // Once its lease is over, nothing of it may act; in its own process it may still run.
    const isHeld =
      other === node || (other.state.own?.row.id === straggler.session && now < other.until);
    if (now < straggler.until && isHeld && !isLossFresh(world))
      violation(world, 'H3', node, partition, `leads while ${other.incarnation} still works`);
  }
}

/** Judges that the work of earlier incarnations of living processes has ended before (H3). */
function judgeLeftWork(world: World, node: Node, partition: number): void {
  for (const { index, leftWork } of world.nodes)
    if (world.now < (leftWork.get(partition) ?? 0))
      violation(world, 'H3', node, partition, `leads while work in process ${index} goes on`);
}

/** Judges that no other node leads, and notes until when this one does. */
export function judgeLeading(world: World, node: Node, partition: number): void {
  const record = recordOf(world, partition);
  if (!leads(node, partition)) return;
  noteLed(record, world.now, node.clock.realAt(node.until));
  if (world.scenario.otherPartitions !== undefined) judgeRoles(world, node, partition);
  if (record.holders.size === 1) return;
  for (const other of record.holders) {
    if (other !== node && leads(other, partition) && !isLossFresh(world))
      doubled(world, node, partition, other);
  }
}

/**
 * Judges roles where members have different numbers of partitions: the same role is in another partition
 * then (R1, R3).
 */
function judgeRoles(world: World, node: Node, partition: number): void {
  const { partitions: own } = node.state.config;
  for (const other of world.nodes) {
    if (!other.alive) continue;
    const { partitions: theirs } = other.state.config;
    if (theirs === own) continue;
    for (let role = partition; role < own * theirs; role += own)
      if (leads(other, role % theirs)) doubled(world, node, partition, other);
  }
}

/** Notes the end of a term. */
export function endTerm(world: World, node: Node, partition: number): void {
  const record = recordOf(world, partition);
  if (leads(node, partition)) noteEnded(record, world.now);
  node.terms.delete(partition);
  record.holders.delete(node);
}

/**
 * Judges that after a quiet time all partitions are led that the members may lead together, and that the
 * shares are even: none is smaller by two than another one, unless it is at its limit (M13).
 */
export function judgeSettled(world: World): void {
  const { scenario, judge } = world;
  const members = world.nodes.slice(0, scenario.nodes);
  judge.settled += 1;
  // A loss that no reading shows cannot be mended.
  if (hidesLosses(scenario)) return;
  // The group refuses members of another number of partitions (R3).
  const nodes = members.filter(({ state }) => state.phase !== 'refused');
  const partitions = nodes[0]?.state.config.partitions ?? scenario.partitions;
  const limits = nodes.map(({ index }) => limitOf(scenario, index));
  let missing = partitions - limits.reduce((sum, limit) => sum + limit, 0);
  for (let partition = 0; partition < partitions; partition += 1) {
    if (nodes.some((node) => leads(node, partition))) continue;
    missing -= 1;
    if (missing < 0)
      violation(
        world,
        'settles',
        defined(members[0]),
        partition,
        'no member leads after a quiet time',
      );
  }
  judgeSwept(world);
  const shares = nodes.map(({ terms }) => terms.size);
  const open = shares.filter((share, index) => share < defined(limits[index]));
  if (Math.max(...shares) > Math.min(...open) + 1)
    violation(world, 'even', defined(members[0]), -1, `the shares are ${shares.join(', ')}`);
}

/** Judges that nothing has a row which is dead, or whose process is, and that nothing names (M11). */
function judgeSwept(world: World): void {
  const { nodes, store, owners } = world;
  const named = new Set(owners.flatMap((of) => of.at(-1)?.session ?? []));
  const living = new Set(nodes.filter(({ alive }) => alive).map(({ incarnation }) => incarnation));
  for (const [name, text] of store.rows) {
    const isDead = name.startsWith('session#') && /^\{"kind":"(ended|deposed)"/.test(text);
    const isOver = isDead && !named.has(name.slice('session#'.length));
    const isLeft = name.startsWith('member#') && !living.has(name.slice('member#'.length));
    if (isOver || isLeft) violation(world, 'M11', defined(nodes[0]), -1, `${name} is still there`);
  }
}
