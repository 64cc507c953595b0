// Starts and stops a simulated process that runs the ledger lease.
import { newPartition, newPin, pinRegister } from '@leadership/core/internal/ledger';
import { hostedPartitions } from '../kernel/host.ts';
import { noteStopped } from '../kernel/judge.ts';
import { beginLife, endLife } from '../kernel/process.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { Knowledge } from '../relation/knowledge.ts';
import { type Paces, textPaces } from '../relation/paces.ts';
import { hostPort } from './engine.ts';
import { died, join } from './guard.ts';
import { sendRanks } from './placement.ts';
import type { Scenario } from './scenario.ts';
import { configOf, type Node, type World } from './world.ts';

/** Starts a process, which knows only its configuration. */
export function start(world: World, _content: undefined, node: Node): void {
  const { random, scenario, store, storeKind } = world;
  beginLife(world, node, store.registers.length);
  const at = node.clock.now();
  const { index, life, self: before } = node;
  node.incarnation = `${before.member}${index}.${life}`;
  node.self = configOf(scenario, index, node.incarnation, random.next());
  node.readsCutUntil = 0;
  node.writesCutUntil = 0;
  node.pin = newPin(node.self, at);
  node.pinned = 'unknown';
  node.askedAt = at;
  node.readTo = store.registers.map(() => 0);
  node.rested = [];
  node.foundAgain = [];
  node.seen = undefined;
  node.rereads.clear();
  const { partitions } = node.self;
  node.partitions = Array.from({ length: partitions }, (_, of) => newPartition(node.self, of, at));
  node.knownPin = new Knowledge(node.self, pinRegister, at, textPaces);
  node.known = node.partitions.map((_, of) => new Knowledge(node.self, of, at, pacesOf(scenario)));
  node.hosted = hostedPartitions(world, node, partitions, hostPort);
  if (scenario.guard !== undefined) join(world, node);
  storeKind.begin(world, node);
  sendRanks(world);
}

/** Stops a process for a while. The next process inherits no state. The placement detects it later. */
export function stop(world: World, node: Node, ms: number): void {
  noteStopped(world, node);
  if (world.scenario.guard !== undefined) died(world, node);
  endLife(node);
  schedule(world, missedAfter * node.leaseMs, sendRanks, undefined);
  scheduleFor(world, node, ms, start, undefined);
}

/**
 * Time until the placement detects a stopped process, in thresholds. Sessions last longer than
 * leases.
 */
const missedAfter = 3;

/** An eager guard also releases after a young term. */
function pacesOf({ guard }: Scenario): Paces {
  return guard === 'eager' ? { ...textPaces, youngMs: () => Number.NEGATIVE_INFINITY } : textPaces;
}
