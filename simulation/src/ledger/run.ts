// The event loop, which processes all events in the order of their time.
import { localAt } from '../kernel/clock.ts';
import { push } from '../kernel/queue.ts';
import { between, randomFrom, there } from '../kernel/random.ts';
import { letHappen, newTimeline, note, soon } from '../kernel/timeline.ts';
import { learn, take, wake } from './engine.ts';
import { floorRaised, floorRead, raiseFloor } from './floor.ts';
import type { Happening, Sending } from './happening.ts';
import { newJudge } from './judge.ts';
import { append, fetched, reread } from './log-store.ts';
import { beginFaults, fault, goneFor } from './misfortunes.ts';
import { send } from './network.ts';
import { contender, start, unborn } from './node.ts';
import { tellRanks } from './placement.ts';
import { compareAndSet, polled, seen } from './register-store.ts';
import type { Scenario } from './scenario.ts';
import { settled, timedOut } from './work.ts';
import type { Log, Node, Rules, Store, World } from './world.ts';

/** Returns a world before its first event. */
export function newWorld(scenario: Scenario, rules: Rules, seed: number): World {
  const { members, misconfigured, partitions } = scenario;
  const random = randomFrom(seed);
  const nodes = members.map((_, index) =>
    unborn(index, rules.ledger(index), contender(scenario, index, '', 0)),
  );
  const lanes = Math.max(partitions, ...Object.values(misconfigured ?? {})) + 1;
  const turns = Array.from({ length: partitions }, () => 0);
  const parts = { nodes, store: newStore(scenario, lanes), judge: newJudge(lanes - 1), turns };
  const world: World = {
    scenario,
    rules,
    random,
    ...parts,
    ranks: [],
    rankedAt: 0,
    ...newTimeline<Happening>(seed),
  };
  for (const node of nodes)
    soon(world, between(random, 0, scenario.thresholdMsMax), {
      kind: 'birth',
      node: node.index,
      life: 0,
      lane: 0,
      cargo: undefined,
    });
  beginFaults(world);
  return world;
}

/** Processes all events up to `ms`. */
export function runUntil(world: World, ms: number): void {
  letHappen(world, ms, (happening) => happen(world, happening));
}

function happen(world: World, happening: Happening): void {
  note(world, happening.node, happening.life, happening.lane, happening.cargo);
  if (happening.kind === 'landed')
    return landed(world, happening.node, happening.life, happening.lane, happening.cargo);
  if (happening.kind === 'floor-raised') return floorRaised(world, happening.cargo);
  if (happening.kind === 'fault') return fault(world, happening.cargo);
  if (happening.kind === 'missed') return tellRanks(world);
  const node = there(world.nodes[happening.node]);
  if (node.life !== happening.life) return;
  if (node.pausedUntil > world.now) return push(world.queue, node.pausedUntil, happening);
  reach(world, node, happening);
}

type ForNode = Exclude<
  Happening,
  { readonly kind: 'landed' | 'floor-raised' | 'fault' | 'missed' }
>;

function reach(world: World, node: Node, happening: ForNode): void {
  const { lane } = happening;
  switch (happening.kind) {
    case 'wake':
      return wake(world, node, lane, happening.cargo);
    case 'answered':
      return learn(world, node, lane, happening.cargo);
    case 'fetched':
      return fetched(world, node, lane, happening.cargo);
    case 'reread':
      return rereadLane(world, node, lane);
    case 'polled':
      return polled(world, node);
    case 'floor-read':
      return floorRead(world, node, lane, happening.cargo);
    case 'floor-reply':
      return take(world, node, lane - 1, happening.cargo);
    case 'floor-due':
      return raiseFloor(world, node, lane, happening.cargo);
    case 'raised':
      return send(world, node, lane, happening.cargo);
    case 'seen':
      return seen(world, node, lane, happening.cargo);
    default:
      return reachMember(world, node, lane - 1, happening);
  }
}

function rereadLane(world: World, node: Node, lane: number): void {
  if (world.scenario.shape === 'log') reread(world, node, lane);
  else node.rereads.add(lane);
}

type ForMember = Extract<
  ForNode,
  { readonly kind: 'wanted' | 'ranked' | 'settled' | 'timed-out' | 'birth' | 'gone' }
>;

function reachMember(world: World, node: Node, partition: number, happening: ForMember): void {
  switch (happening.kind) {
    case 'wanted': {
      const receivedAt = localAt(node.clock, world.now);
      return take(world, node, partition, { kind: 'wanted', want: happening.cargo, receivedAt });
    }
    case 'ranked':
      return take(world, node, partition, { kind: 'ranks', ranks: happening.cargo });
    case 'settled':
      return settled(world, node, partition, happening.cargo);
    case 'timed-out':
      return timedOut(world, node, partition, happening.cargo);
    case 'birth':
      return start(world, node);
    case 'gone':
      return goneFor(world, node);
  }
}

function landed(world: World, node: number, life: number, lane: number, sending: Sending): void {
  const { record, answerMs } = sending;
  const isLog = world.scenario.shape === 'log';
  const outcome = isLog ? world.rules.host.appended : compareAndSet(world, lane, sending);
  if (isLog) append(world, lane, sending);
  // A plain acknowledgement of an append carries no information (L3), so half of all answers are
  // not simulated.
  if (answerMs >= 0 && outcome !== 'placed')
    soon(world, answerMs, {
      kind: 'answered',
      node,
      life,
      lane,
      cargo: { kind: 'written', record, outcome },
    });
}

/**
 * Creates the store. The pin has a log of its own. The partitions share one log, or have one log
 * each.
 */
function newStore({ sharedLog }: Scenario, lanes: number): Store {
  const ofPartitions = Array.from({ length: lanes - 1 }, (_, partition) => partition + 1);
  const shares = sharedLog ? [ofPartitions] : ofPartitions.map((lane) => [lane]);
  const logs: Log[] = [[0], ...shares].map((lanesOfLog) => ({
    entries: [],
    start: 0,
    epoch: 0,
    lanes: lanesOfLog,
  }));
  const logOf = Array.from({ length: lanes }, (_, lane) =>
    logs.findIndex((log) => log.lanes.includes(lane)),
  );
  return {
    floor: 0n,
    logs,
    logOf,
    registers: Array.from({ length: lanes }, () => null),
    versions: Array.from({ length: lanes }, () => []),
  };
}
