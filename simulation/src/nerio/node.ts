// Starts and stops a simulated process that runs Nerio.
import { newMember } from '@leadership/nerio/internal/protocol';
import { hostedPartitions } from '../kernel/host.ts';
import { noteStopped } from '../kernel/judge.ts';
import { isCut } from '../kernel/links.ts';
import { delayMs } from '../kernel/network.ts';
import { beginLife, endLife, wakeBy } from '../kernel/process.ts';
import { defined, happens } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { keepsHardState, lastWritten, noteLoss } from './disk.ts';
import { hostPort, take, wake } from './engine.ts';
import { leaseRealAt } from './quorum-judge.ts';
import { type EarlierGrant, type Node, selfOf, type World } from './world.ts';

/** Starts a process, which knows its configuration, its hard state and the contents of its disk. */
export function start(world: World, _content: undefined, node: Node): void {
  const { random, scenario, driverRules } = world;
  const { disk, clock } = node;
  beginLife(world, node, 1);
  node.self = selfOf(scenario, node, random.next());
  node.incarnation = node.self.incarnation;
  if (disk.saidLost) noteLoss(node);
  else disk.hardState = driverRules.storedState(disk.hardState);
  const { hardState, memory } = disk;
  const stored = { hardState, storesHardState: keepsHardState(node), memory, knowsPin: false };
  node.state = newMember(node.rules, node.self, stored, clock.moment());
  // The next start may learn of the loss again, but need not.
  disk.saidLost &&= happens(random, 0.5);
  node.hosted = hostedPartitions(world, node, scenario.partitions, hostPort);
  node.contendsSince = [];
  if (memory === undefined) for (const known of node.released) known.clear();
  wakeBy(world, node, 0, clock.now(), wake);
  for (const other of world.nodes) {
    if (other === node) continue;
    scheduleFor(world, node, delayMs(world), meet, other.index);
    if (other.alive) scheduleFor(world, other, delayMs(world), meet, node.index);
  }
}

/**
 * Reports the result of a connection attempt to the node with that index: a peer with another
 * configuration, or an attempt that was made (R4).
 */
function meet(world: World, index: number, node: Node): void {
  const other = defined(world.nodes[index]);
  const isMet = other.alive && !isCut(world, node, other) && !isCut(world, other, node);
  const kind = isMet && node.config !== other.config ? 'differs' : 'tried';
  take(world, node, { kind, member: other.self.member });
}

/** Stops a process. Its grants stay valid (N4), even if it forgets them. */
export function stop(world: World, node: Node): void {
  noteStopped(world, node);
  lastWritten(node);
  node.earlierGrants = node.earlierGrants.map(
    (earlier, partition) => grantOf(world, node, partition) ?? earlier,
  );
  endLife(node);
}

function grantOf(world: World, node: Node, partition: number): EarlierGrant | undefined {
  const { holder, until } = defined(node.state.grants[partition]);
  if (holder === undefined) return undefined;
  const epoch = node.state.electorate.number;
  return { incarnation: holder.incarnation, epoch, until: leaseRealAt(world, node, until) };
}

/** Schedules the start of the next life of a process. */
export function startLater(world: World, node: Node, ms: number): void {
  scheduleFor(world, node, ms, start, undefined);
}
