import { meetsEveryQuorum, memoryOf, newMember, type Self } from '@leadership/nerio/protocol';
import { between, momentAt, there } from '@leadership/testkit/world';
import { arm } from './engine.ts';
import { noBelief } from './host.ts';
import { believes, noteEnded } from './judge.ts';
import { memberNode, nameOf } from './names.ts';
import { soon } from './network.ts';
import { leaseRealAt } from './quorum-judge.ts';
import type { Scenario } from './scenario.ts';
import type { Ghost, Node, Rules, World } from './world.ts';

/** What one life of a process is told. */
function selfOf(scenario: Scenario, index: number, life: number, jitter: number): Self {
  const { partitions, leaseMs, leaseMsMax, driftRate, skewMs, leaseSpread } = scenario;
  const member = nameOf(index);
  const roundTripMs = leaseMs * roundTripShare;
  const spread = there(leaseSpread[index % leaseSpread.length]);
  return {
    member,
    incarnation: `${member}${life}`,
    life,
    partitions,
    spacingMs: leaseMs * (1 + spread) - roundTripMs,
    roundTripMs,
    leaseMsMax,
    driftRate,
    skewMs,
    pingMs: leaseMs * pingShare,
    jitter,
  };
}

/** The least d that is reckoned with, as a share of the lease. */
const roundTripShare = 1 / 40;
/** How often neighbours are asked for signs of life, as a share of the lease: silence is noticed well before the shortest lease left over. */
const pingShare = 1 / 3;

/** A process that has not been started. */
export function unborn(scenario: Scenario, rules: Rules, index: number, vow: Node['vow']): Node {
  const self = selfOf(scenario, index, 0, 0);
  const clock = { rate: 1, base: 0, setAt: 0, wallOffsetMs: 0 };
  const mine = rules.nerio(index);
  return {
    index,
    rules: mine,
    clock,
    self,
    state: newMember(mine, self, { vow }, momentAt(clock, 0)),
    life: 0,
    alive: false,
    pausedUntil: 0,
    troubledUntil: 0,
    campaigning: true,
    vow,
    memory: undefined,
    wakeAt: Number.POSITIVE_INFINITY,
    dueAt: Number.POSITIVE_INFINITY,
    beliefs: Array.from({ length: scenario.partitions }, noBelief),
    contendsSince: Array.from({ length: scenario.partitions }, () => undefined),
    ghosts: Array.from({ length: scenario.partitions }, () => undefined),
    released: Array.from({ length: scenario.partitions }, () => new Map()),
  };
}

/** A process starts: it knows its configuration, what it is bound to, and what it had on disk. */
export function start(world: World, node: Node): void {
  const { random, now, scenario, rules } = world;
  const { clock, index, life } = node;
  Object.assign(clock, { rate: driftedRate(world), base: between(random, 0, 1e6), setAt: now });
  clock.wallOffsetMs = between(random, -scenario.wallOffsetMsMax, scenario.wallOffsetMsMax);
  const moment = momentAt(clock, now);
  node.self = selfOf(scenario, index, life, random.next());
  node.vow = rules.host.keptVow(node.vow);
  node.state = newMember(node.rules, node.self, { vow: node.vow, memory: node.memory }, moment);
  node.alive = true;
  node.pausedUntil = 0;
  node.troubledUntil = 0;
  node.campaigning = true;
  node.wakeAt = Number.POSITIVE_INFINITY;
  node.beliefs = node.beliefs.map(noBelief);
  node.contendsSince = node.beliefs.map(() => undefined);
  if (node.memory === undefined) for (const known of node.released) known.clear();
  arm(world, node, moment.now);
}

/** A process is gone. What it granted holds on (N4), whether it will remember it or not. */
export function die(world: World, node: Node, keepsMemory: boolean): void {
  node.beliefs.forEach((belief, partition) => {
    if (believes(world, node, belief)) noteEnded(world, partition);
  });
  const moment = momentAt(node.clock, world.now);
  node.memory = keepsMemory ? memoryOf(node.state, node.rules.clock(moment)) : undefined;
  node.ghosts = node.ghosts.map((ghost, partition) => ghostOf(world, node, partition) ?? ghost);
  node.alive = false;
  node.life += 1;
}

function ghostOf(world: World, node: Node, partition: number): Ghost | undefined {
  const { holder, until } = there(node.state.grants[partition]);
  if (holder === undefined) return undefined;
  return { incarnation: holder.incarnation, epoch: node.state.electorate.number, until: leaseRealAt(world, node, until) };
}

/** A process is there again after `ms`. */
export function startLater(world: World, { index: node, life }: Node, ms: number): void {
  soon(world, ms, { kind: 'birth', node, life, cargo: undefined });
}

/** Whether the others' memory still makes up for that of this one, were it lost (N16). */
export function mayForget(world: World, node: Node): boolean {
  if (world.scenario.mayForgetAll) return true;
  const { electorate } = node.state;
  let remembering = 0;
  electorate.names.forEach((name, index) => {
    const other = memberNode(world, name);
    if (other !== node && remembers(world, other)) remembering |= 1 << index;
  });
  return meetsEveryQuorum(electorate.quorums, remembering);
}

function remembers(world: World, node: Node): boolean {
  if (!node.alive) return node.memory !== undefined;
  const { learning, mutedUntil } = node.state;
  return learning === undefined && node.rules.clock(momentAt(node.clock, world.now)) >= mutedUntil;
}

/** A rate within ±ρ, at one of the ends as often as not. */
export function driftedRate({ random, scenario: { driftRate } }: World): number {
  const share = between(random, -2, 2);
  return 1 + driftRate * Math.max(-1, Math.min(1, share));
}
