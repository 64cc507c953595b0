import {
  type Epoch,
  electorateOf,
  type HardState,
  meetsEveryQuorum,
  newMember,
  type Self,
} from '@leadership/nerio/internal/protocol';
import { driftedRate, momentAt } from '../kernel/clock.ts';
import { noteEnded } from '../kernel/led-time.ts';
import { between, happens, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import { keepsVows, lastWritten, newDisk, noteLoss } from './disk.ts';
import { arm } from './engine.ts';
import { noBelief } from './host.ts';
import { believes, reignOf } from './judge.ts';
import { memberNode, nameOf } from './names.ts';
import { leaseRealAt } from './quorum-judge.ts';
import type { Scenario } from './scenario.ts';
import type { Ghost, Node, Rules, World } from './world.ts';

/** Returns the configuration of one life of a process. */
function selfOf(
  scenario: Scenario,
  { index, life, config }: Pick<Node, 'index' | 'life' | 'config'>,
  jitter: number,
): Self {
  const { partitions, leaseMs, driftRate, skewMs, leaseSpread, pingShare = 1 / 3 } = scenario;
  const { leaseMsMax } = config === 0 ? scenario : there(scenario.otherConfigs[config - 1]);
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

/** The assumed minimum round trip d, as a share of the lease. */
const roundTripShare = 1 / 40;

/** Returns a process that has not started. */
export function unborn(scenario: Scenario, rules: Rules, index: number, vow: HardState): Node {
  const self = selfOf(scenario, { index, life: 0, config: 0 }, 0);
  const clock = { rate: 1, base: 0, setAt: 0, wallOffsetMs: 0 };
  const mine = rules.nerio(index);
  return {
    index,
    rules: mine,
    clock,
    config: 0,
    self,
    state: newMember(mine, self, { vow }, momentAt(clock, 0)),
    life: 0,
    alive: false,
    pausedUntil: 0,
    troubledUntil: 0,
    campaigning: true,
    disk: newDisk(there(scenario.keeps[index % scenario.keeps.length]), vow),
    wakeAt: Number.POSITIVE_INFINITY,
    dueAt: Number.POSITIVE_INFINITY,
    beliefs: Array.from({ length: scenario.partitions }, noBelief),
    contendsSince: Array.from({ length: scenario.partitions }, () => undefined),
    lastFrames: [],
    ghosts: Array.from({ length: scenario.partitions }, () => undefined),
    released: Array.from({ length: scenario.partitions }, () => new Map()),
  };
}

/** Starts a process, which knows its configuration, its hard state and the contents of its disk. */
export function start(world: World, node: Node): void {
  const { random, now, scenario, rules } = world;
  const { clock } = node;
  Object.assign(clock, { rate: driftedRate(world), base: between(random, 0, 1e6), setAt: now });
  clock.wallOffsetMs = between(random, -scenario.wallOffsetMsMax, scenario.wallOffsetMsMax);
  const moment = momentAt(clock, now);
  node.self = selfOf(scenario, node, random.next());
  const { disk } = node;
  if (disk.saidLost) noteLoss(node);
  else disk.vow = rules.host.keptVow(disk.vow);
  node.state = newMember(
    node.rules,
    node.self,
    { vow: disk.vow, keepsVows: keepsVows(node), memory: disk.memory, knowsPin: false },
    moment,
  );
  // The next start may be told of the loss again, but need not be.
  disk.saidLost &&= happens(random, 0.5);
  node.alive = true;
  node.pausedUntil = 0;
  node.troubledUntil = 0;
  node.campaigning = true;
  node.wakeAt = Number.POSITIVE_INFINITY;
  node.beliefs = node.beliefs.map(noBelief);
  node.contendsSince = node.beliefs.map(() => undefined);
  if (disk.memory === undefined) for (const known of node.released) known.clear();
  arm(world, node, moment.now);
  for (const other of world.nodes) {
    if (other === node) continue;
    meetLater(world, node, other);
    if (other.alive) meetLater(world, other, node);
  }
}

function meetLater(world: World, { index, life }: Node, other: Node): void {
  soon(world, delayMs(world), { kind: 'meeting', node: index, life, cargo: other.index });
}

/** Stops a process. Its grants stay valid (N4), even if it forgets them. */
export function die(world: World, node: Node): void {
  node.beliefs.forEach((belief, partition) => {
    if (believes(world, node, belief)) noteEnded(reignOf(world, partition), world.now);
  });
  lastWritten(world, node);
  node.ghosts = node.ghosts.map((ghost, partition) => ghostOf(world, node, partition) ?? ghost);
  node.alive = false;
  node.life += 1;
}

function ghostOf(world: World, node: Node, partition: number): Ghost | undefined {
  const { holder, until } = there(node.state.grants[partition]);
  if (holder === undefined) return undefined;
  return {
    incarnation: holder.incarnation,
    epoch: node.state.electorate.number,
    until: leaseRealAt(world, node, until),
  };
}

/** Schedules the start of the next life of a process. */
export function startLater(world: World, { index: node, life }: Node, ms: number): void {
  soon(world, ms, { kind: 'birth', node, life, cargo: undefined });
}

/** Returns whether the memory of the other members compensates for the memory of this one (N16). */
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

/**
 * Returns whether the other members could still end the current epoch, and any pending one, if this
 * member lost its hard state.
 */
export function mayLose(world: World, node: Node): boolean {
  if (!keepsVows(node)) return false;
  return [world.epoch, ...pending(world)].every((epoch) => {
    const { quorums, names, number } = electorateOf(epoch);
    let bound = 0;
    names.forEach((name, index) => {
      const other = memberNode(world, name);
      if (
        other !== node &&
        keepsVows(other) &&
        !isBarred(other, number) &&
        knows(other, world.epoch)
      )
        bound |= 1 << index;
    });
    return quorums.holds(bound);
  });
}

/** Returns whether the member would know the epoch after a restart. */
function knows({ disk: { vow } }: Node, { number }: Epoch): boolean {
  return vow.epoch.number >= number;
}

/** Returns the epochs that are proposed to follow the current one, including proposals on disk. */
function pending({ nodes, epoch: { number } }: World): readonly Epoch[] {
  const wanted = nodes.flatMap(({ state: { proposal, wedgeAsked, wedge }, disk: { vow } }) =>
    [
      proposal?.next,
      proposal?.accepting,
      wedgeAsked?.next,
      ...wantedBy(wedge),
      ...wantedBy(vow.wedge),
    ].filter((one) => one !== undefined),
  );
  return wanted.filter((epoch) => epoch.number === number + 1);
}

function wantedBy(wedge: HardState['wedge']): readonly (Epoch | undefined)[] {
  return [wedge?.proposed, wedge?.accepted?.next];
}

/** Returns whether the member, in a later epoch, could help to end that epoch. */
export function willBeBindable(node: Node): boolean {
  return keepsVows(node) && !isBarred(node, Number.POSITIVE_INFINITY);
}

function isBarred({ disk }: Node, epoch: number): boolean {
  return disk.saidLost || epoch <= (disk.vow.lostThrough ?? -1);
}

function remembers(world: World, node: Node): boolean {
  if (!node.alive) return node.disk.memory !== undefined && !node.disk.saidLost;
  const { learning, mutedUntil } = node.state;
  return learning === undefined && node.rules.clock(momentAt(node.clock, world.now)) >= mutedUntil;
}
