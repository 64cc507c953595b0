// The loop over everything that happens, in the order of its time.
import type { Epoch } from '@leadership/nerio/protocol';
import { between, firstTime, newQueue, push, randomFrom, shift, there } from '@leadership/testkit/world';
import { take, wake, written } from './engine.ts';
import { newJudge } from './judge.ts';
import { beginFaults, fault } from './misfortunes.ts';
import { nameOf } from './names.ts';
import { soon } from './network.ts';
import { start, unborn } from './node.ts';
import type { Scenario } from './scenario.ts';
import { publish, rely, settled, timedOut } from './work.ts';
import type { Happening, Node, Rules, World } from './world.ts';

/** A world in which nothing has happened yet. */
export function newWorld(scenario: Scenario, rules: Rules, seed: number): World {
  const { nodes: count, newcomers, voters, partitions } = scenario;
  const random = randomFrom(seed);
  const members = Array.from({ length: count }, (_, index) =>
    index < voters ? { member: nameOf(index) } : { member: nameOf(index), votes: false },
  );
  const epoch: Epoch = { number: 0, members, quorums: { kind: 'majority' }, tokens: [] };
  const first = { epoch, wedge: undefined };
  const nodes = Array.from({ length: count + newcomers }, (_, index) => unborn(scenario, rules, index, first));
  const parts = { queue: newQueue<Happening>(), nodes, judge: newJudge(partitions), cutUntil: new Float64Array(nodes.length ** 2) };
  const world: World = { scenario, rules, random, ...parts, first, epoch, now: 0, hash: [seed | 0, ~seed], happenings: 0, lastId: 0 };
  for (const node of nodes)
    soon(world, between(random, 0, scenario.leaseMs), { kind: 'birth', node: node.index, life: 0, cargo: undefined });
  beginFaults(world);
  return world;
}

/** Lets everything happen that happens until then. */
export function runUntil(world: World, ms: number): void {
  const { queue } = world;
  for (let at = firstTime(queue); at <= ms; at = firstTime(queue)) {
    world.now = at;
    happen(world, shift(queue));
  }
  world.now = ms;
}

/** The hash over everything that has happened so far: equal for equal histories. */
export function historyHash({ hash }: World): string {
  return hash.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

function happen(world: World, happening: Happening): void {
  note(world, happening);
  if (happening.kind === 'fault') return fault(world, happening.cargo);
  const node = there(world.nodes[happening.node]);
  if (node.life !== happening.life) return;
  if (node.pausedUntil > world.now) return push(world.queue, node.pausedUntil, happening);
  if (happening.kind === 'heard') return take(world, node, happening.cargo);
  if (happening.kind === 'wake') return wake(world, node, happening.cargo);
  reach(world, node, happening);
}

function reach(world: World, node: Node, happening: Exclude<Happening, { readonly kind: 'fault' | 'heard' | 'wake' }>): void {
  switch (happening.kind) {
    case 'birth':
      return start(world, node);
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

/** Folds what happens into the hash: when, to whom, what. */
function note(world: World, { node, life, kind }: Happening): void {
  const { hash, now } = world;
  world.happenings += 1;
  const what = Math.imul(now * 4096, 0x85ebca6b) ^ (node + (kind.length << 8) + (life << 16));
  hash[0] = Math.imul(hash[0] ^ what, 0x01000193);
  hash[1] = (Math.imul(hash[1], 31) + what) | 0;
}
