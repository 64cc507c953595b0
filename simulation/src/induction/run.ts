// The event loop, which processes all events in the order of their time.
import type { InductionRules } from '@leadership/core/internal/induction';
import { type Clock, driftedRate } from '../kernel/clock.ts';
import { push } from '../kernel/queue.ts';
import { between, type Random, randomFrom, there } from '../kernel/random.ts';
import { letHappen, newTimeline, note, soon } from '../kernel/timeline.ts';
import {
  heardOf,
  joined,
  newGroup,
  rebalanceTimedOut,
  removed,
  sessionOver,
} from './coordinator.ts';
import { take, wake } from './engine.ts';
import type { Happening } from './happening.ts';
import { newJudge, settleAll } from './judge.ts';
import { append } from './logs.ts';
import { heartbeat, join } from './membership.ts';
import { beginMisfortunes, goneFor, misfortune } from './misfortunes.ts';
import { start, unborn } from './node.ts';
import { assigned } from './outcome.ts';
import { fetched } from './reading.ts';
import type { InductionScenario } from './scenario.ts';
import { settled, timedOut } from './work.ts';
import type { Log, Node, World } from './world.ts';

/** Returns a world before its first event. */
export function newWorld(scenario: InductionScenario, rules: InductionRules, seed: number): World {
  const { nodes, partitions, groups, brokers, thresholdMs } = scenario;
  const random = randomFrom(seed);
  const world: World = {
    scenario,
    rules,
    random,
    nodes: Array.from({ length: nodes * groups }, (_, index) => unborn(scenario, index)),
    brokers: Array.from({ length: brokers }, () => newBroker(scenario, random)),
    logs: Array.from(
      { length: partitions },
      (_, partition): Log => ({
        entries: [],
        start: 0,
        broker: partition % brokers,
        epoch: 0,
        downUntil: 0,
      }),
    ),
    groups: Array.from({ length: groups }, (_, index) => newGroup(index, partitions)),
    judge: newJudge(scenario),
    ...newTimeline<Happening>(seed),
  };
  for (const { index: node } of world.nodes)
    soon(world, between(random, 0, thresholdMs), {
      kind: 'birth',
      node,
      life: 0,
      lane: 0,
      cargo: undefined,
    });
  beginMisfortunes(world);
  return world;
}

function newBroker(scenario: InductionScenario, random: Random): Clock {
  const { brokerOffsetMsMax } = scenario;
  const offsetMs = between(random, -brokerOffsetMsMax, brokerOffsetMsMax);
  return {
    rate: driftedRate({ random, scenario }),
    base: 0,
    setAt: 0,
    wallOffsetMs: brokerOffsetMsMax + offsetMs,
  };
}

/** Processes all events up to `ms`. */
export function runUntil(world: World, ms: number): void {
  letHappen(world, ms, (happening) => happen(world, happening));
  settleAll(world);
}

function happen(world: World, happening: Happening): void {
  note(world, happening.node, happening.life, happening.lane, happening.cargo);
  switch (happening.kind) {
    case 'landed':
      return append(world, there(world.nodes[happening.node]), happening.lane, happening.cargo);
    case 'misfortune':
      return misfortune(world, happening.cargo);
    case 'session':
      return sessionOver(world, there(world.groups[happening.node]), happening.cargo);
    case 'rebalanced':
      return rebalanceTimedOut(world, there(world.groups[happening.node]), happening.cargo);
    case 'alive':
    case 'join':
    case 'leave':
      return reachCoordinator(world, there(world.nodes[happening.node]), happening);
    default:
      return reach(world, there(world.nodes[happening.node]), happening);
  }
}

type ForCoordinator = Extract<Happening, { readonly kind: 'alive' | 'join' | 'leave' }>;

/**
 * Delivers a message to the coordinator. Messages of stopped processes, and messages to an
 * unavailable coordinator, are lost.
 */
function reachCoordinator(world: World, node: Node, happening: ForCoordinator): void {
  const group = there(world.groups[node.group]);
  if (world.now < group.awayUntil || node.life !== happening.life) return;
  if (happening.kind === 'leave') removed(world, group, node.self.incarnation);
  else if (happening.kind === 'join') joined(world, node, happening.cargo);
  else heardOf(world, node, happening.cargo);
}

type ForNode = Exclude<
  Happening,
  ForCoordinator | { readonly kind: 'landed' | 'misfortune' | 'session' | 'rebalanced' }
>;

function reach(world: World, node: Node, happening: ForNode): void {
  if (node.life !== happening.life) return;
  if (node.pausedUntil > world.now) return push(world.queue, node.pausedUntil, happening);
  const { lane } = happening;
  switch (happening.kind) {
    case 'wake':
      return wake(world, node, lane, happening.cargo);
    case 'fetched':
      return fetched(world, node, lane, happening.cargo);
    case 'unsent':
      return take(world, node, lane, { kind: 'unsent', id: happening.cargo });
    case 'settled':
      return settled(world, node, lane, happening.cargo);
    case 'timed-out':
      return timedOut(world, node, lane, happening.cargo);
    default:
      return reachMember(world, node, happening);
  }
}

function reachMember(
  world: World,
  node: Node,
  happening: Extract<
    ForNode,
    { readonly kind: 'birth' | 'gone' | 'heartbeat' | 'rejoin' | 'assigned' }
  >,
): void {
  switch (happening.kind) {
    case 'birth':
      return start(world, node);
    case 'gone':
      return goneFor(world, node);
    case 'heartbeat':
      return heartbeat(world, node);
    case 'rejoin':
      return node.campaigning ? join(world, node) : undefined;
    case 'assigned':
      return assigned(world, node, happening.cargo);
  }
}
