// Starts a simulated process that runs gossip.
import { generationAt, newMember } from '@leadership/scuttlebutt/internal/protocol';
import { hostedPartitions } from '../kernel/host.ts';
import { noteStopped } from '../kernel/judge.ts';
import { beginLife, endLife, wakeBy } from '../kernel/process.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { hostPort, wake } from './engine.ts';
import type { Node, World } from './world.ts';

const seedMax = 2 ** 32;

/** Starts a process. It knows nothing but its configuration. */
export function start(world: World, _content: undefined, node: Node): void {
  const { random, scenario } = world;
  const { clock } = node;
  beginLife(world, node, 1);
  clock.wallOffsetMs = node.wallOffsetMs;
  node.incarnation = `${node.config.member}.${node.life}`;
  node.isSuspended = false;
  node.lapsing = [];
  node.seen.clear();
  const moment = clock.moment();
  const initial = {
    generation: generationAt(moment.wallMicros),
    seed: Math.floor(random.next() * seedMax),
  };
  node.state = newMember(node.rules, node.config, initial, moment);
  node.hosted = hostedPartitions(world, node, scenario.partitions, hostPort);
  wakeBy(world, node, 0, clock.now(), wake);
}

/** Stops a process, which loses all its state. */
export function stop(world: World, node: Node): void {
  noteStopped(world, node);
  endLife(node);
  node.stoppedAt = world.now;
}

/** Schedules the start of the next life of a process. */
export function startLater(world: World, node: Node, ms: number): void {
  scheduleFor(world, node, ms, start, undefined);
}
