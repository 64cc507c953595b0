import { type LeaseConfig, newMember, type RowsTraits } from '@leadership/core/internal/sessions';
import { beginLife, endLife } from '../kernel/process.ts';
import { between } from '../kernel/random.ts';
import { type Handler, scheduleFor } from '../kernel/timeline.ts';
import { Knowledge } from '../relation/knowledge.ts';
import { Pace } from './bounded.ts';
import { feed } from './engine.ts';
import { endTerm } from './judge.ts';
import { noteGone } from './listed.ts';
import { beginReading } from './log.ts';
import { limitOf, mayLose, type Scenario } from './scenario.ts';
import type { Node, World } from './world.ts';

/** Starts a process with a new incarnation. */
export function start(world: World, node: Node): void {
  const { scenario, random } = world;
  const { thresholdMs, mixedThresholds, driftRate, hasFloor } = scenario;
  beginLife(world, node, 0);
  node.incarnation = `m${node.index}.${node.life}`;
  node.until = Number.NEGATIVE_INFINITY as typeof node.until;
  node.wakeAt = Number.POSITIVE_INFINITY;
  node.stragglers.clear();
  node.arrivals.clear();
  node.shown.clear();
  node.outOfTurn.clear();
  node.pace = new Pace();
  node.listed = new Set();
  const config: LeaseConfig = {
    group: 'g',
    member: scenario.areTwins ? 'm' : `m${node.index}`,
    incarnation: node.incarnation,
    metadata: {},
    partitions: partitionsOf(scenario, node),
    thresholdMs: mixedThresholds ? thresholdMs * between(random, 0.4, 1) : thresholdMs,
    thresholdMsMax: thresholdMs,
    driftRate,
    // The guard comes after the members, and only observes.
    campaign: node.index < scenario.nodes,
    ...limited(limitOf(scenario, node.index)),
    jitter: random.next(),
    hasFloor,
    isSilent: scenario.isSilent,
    traits: traitsOf(world),
  };
  node.state = newMember(config, node.rules);
  node.known = new Knowledge(config);
  beginReading(world, node);
  feed(world, node, { kind: 'wake' });
}

/** Returns the number of partitions of which a member is configured (R3). */
function partitionsOf({ partitions, otherPartitions, nodes }: Scenario, { index }: Node): number {
  return index === nodes - 1 ? (otherPartitions ?? partitions) : partitions;
}

function limited(partitionsMax: number): Pick<LeaseConfig, 'partitionsMax'> {
  return partitionsMax === Number.POSITIVE_INFINITY ? {} : { partitionsMax };
}

/** Returns what the store of a world can do. */
export function traitsOf({ scenario, storeRules }: World): RowsTraits {
  const { changesMax, readsFirst, isLog } = scenario;
  const isDoubtedAtFirst = storeRules.tellsLosses && (isLog || mayLose(scenario));
  return { changesMax, readsFirst, isDoubtedAtFirst };
}

/** Ends a process without warning. If its death is proved, the others learn of it. */
export function kill(world: World, node: Node, awayMs: number, isProved: boolean): void {
  const { incarnation } = node;
  endIncarnation(world, node, awayMs);
  if (isProved)
    for (const other of world.nodes)
      if (other !== node && other.alive) feed(world, other, { kind: 'died', incarnation });
}

/** Ends an incarnation. Its process, or another one, starts the next one later. */
export function endIncarnation(world: World, node: Node, awayMs: number): void {
  for (const partition of [...node.terms.keys()]) endTerm(world, node, partition);
  noteGone(world, node);
  endLife(node);
  scheduleFor(world, node, awayMs, startLater, undefined);
}

/** Starts a process, unless it has started meanwhile. */
export const startLater: Handler<World, Node, undefined> = (world, _, node) => {
  if (!node.alive) world.members.start(node);
};
