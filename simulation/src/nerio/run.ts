// The event loop, which processes all events in the order of their time.
import type { Epoch, HardState } from '@leadership/nerio/internal/protocol';
import { push } from '../kernel/queue.ts';
import { between, randomFrom, there } from '../kernel/random.ts';
import { letHappen, newTimeline, note, soon } from '../kernel/timeline.ts';
import { takeAll, wake, written } from './engine.ts';
import { newJudge } from './judge.ts';
import { beginFaults, fault, meet, redeploy } from './misfortunes.ts';
import { nameOf } from './names.ts';
import { start, unborn } from './node.ts';
import type { Config, Scenario } from './scenario.ts';
import { publish, rely, settled, timedOut } from './work.ts';
import type { Happening, Node, Rules, World } from './world.ts';

/** Returns a world before its first event. */
export function newWorld(scenario: Scenario, rules: Rules, seed: number): World {
  const { nodes: count, newcomers, voters, partitions } = scenario;
  const random = randomFrom(seed);
  const members = Array.from({ length: count }, (_, index) =>
    index < voters ? { member: nameOf(index) } : { member: nameOf(index), votes: false },
  );
  const epoch: Epoch = { number: 0, members, quorums: { kind: 'majority' }, tokens: [] };
  const usual: HardState = { epoch, wedge: undefined };
  const first = [usual, ...scenario.otherConfigs.map((config) => firstOf(config))];
  const nodes = Array.from({ length: count + newcomers }, (_, index) =>
    unborn(scenario, rules, index, usual),
  );
  const parts = {
    nodes,
    judge: newJudge(partitions),
    cutUntil: new Float64Array(nodes.length ** 2),
  };
  const world: World = {
    scenario,
    rules,
    random,
    ...parts,
    first,
    epoch,
    lastId: 0,
    ...newTimeline<Happening>(seed),
  };
  for (const node of nodes)
    soon(world, between(random, 0, scenario.leaseMs), {
      kind: 'birth',
      node: node.index,
      life: 0,
      cargo: undefined,
    });
  beginFaults(world);
  return world;
}

function firstOf({ members }: Config): HardState {
  const names = Array.from({ length: members }, (_, index) => ({ member: nameOf(index) }));
  return {
    epoch: { number: 0, members: names, quorums: { kind: 'majority' }, tokens: [] },
    wedge: undefined,
  };
}

/** Processes all events up to `ms`. */
export function runUntil(world: World, ms: number): void {
  letHappen(world, ms, (happening) => happen(world, happening));
}

function happen(world: World, happening: Happening): void {
  note(world, happening.node, happening.life, happening.kind.length, happening.cargo);
  if (happening.kind === 'fault') return fault(world, happening.cargo);
  const node = there(world.nodes[happening.node]);
  if (node.life !== happening.life) return;
  if (node.pausedUntil > world.now) return push(world.queue, node.pausedUntil, happening);
  if (happening.kind === 'heard') return takeAll(world, node, happening.cargo);
  if (happening.kind === 'wake') return wake(world, node, happening.cargo);
  reach(world, node, happening);
}

function reach(
  world: World,
  node: Node,
  happening: Exclude<Happening, { readonly kind: 'fault' | 'heard' | 'wake' }>,
): void {
  switch (happening.kind) {
    case 'birth':
      return start(world, node);
    case 'meeting':
      return meet(world, node, there(world.nodes[happening.cargo]));
    case 'refusal':
      return redeploy(world, node);
    case 'written':
      return written(world, node);
    case 'settled':
      return settled(world, node, happening.cargo);
    case 'timed-out':
      return timedOut(world, node, happening.cargo);
    case 'publish':
      return publish(world, node, happening.cargo);
    case 'rely':
      return rely(world, node, happening.cargo);
  }
}
