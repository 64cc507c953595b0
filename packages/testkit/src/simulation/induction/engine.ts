// The production engine of one node: inputs go in, outputs are carried out, and one wake-up is kept on its way.
import { type InductionInput, type InductionOutput, type InductionState, stepInduction } from '@leadership/core/engine';
import { localAt, momentAt, realAt } from '../clock.ts';
import { push } from '../queue.ts';
import { there } from '../random.ts';
import { drain, ended, granted } from './host.ts';
import { judgeResumption } from './judge.ts';
import { send } from './logs.ts';
import { askAnew } from './membership.ts';
import type { Node, World } from './world.ts';

/** One input for one partition. */
export function take(world: World, node: Node, partition: number, input: InductionInput): void {
  const before = there(node.partitions[partition]);
  const { state, outputs, wakeAt } = stepInduction(world.rules, before, input, momentAt(node.clock, world.now));
  node.partitions[partition] = state;
  if (isFrozen(before) && isBelieving(state) && !isFrozen(state)) judgeResumption(world, node, partition);
  for (const output of outputs) carryOut(world, node, partition, output);
  arm(world, node, partition, wakeAt);
}

function isFrozen({ tenure }: InductionState): boolean {
  return (tenure.kind === 'lingering' || tenure.kind === 'draining') && tenure.frozen;
}

function isBelieving({ tenure }: InductionState): boolean {
  return tenure.kind !== 'follower';
}

/** The same input for all of them. */
export function takeEach(world: World, node: Node, inputOf: (partition: number) => InductionInput): void {
  for (let partition = 0; partition < node.partitions.length; partition += 1) take(world, node, partition, inputOf(partition));
}

/** A wake-up comes. What it was for may have moved on meanwhile: then it is sent on. */
export function wake(world: World, node: Node, partition: number, at: number): void {
  if (node.wakes[partition] !== at) return;
  node.wakes[partition] = Number.POSITIVE_INFINITY;
  const dueAt = there(node.dues[partition]);
  if (localAt(node.clock, world.now) < dueAt) arm(world, node, partition, dueAt);
  else take(world, node, partition, { kind: 'wake' });
}

/** Timers are a little late, never early. Milliseconds. */
const timerLateMs = 0.01;

/** Sees to it that a wake-up comes by `wakeAt`. One that is on its way and comes sooner will look again. */
function arm(world: World, node: Node, partition: number, wakeAt: number): void {
  node.dues[partition] = wakeAt;
  if (wakeAt === Number.POSITIVE_INFINITY) return;
  const at = Math.max(realAt(node.clock, wakeAt), world.now) + timerLateMs;
  if (there(node.wakes[partition]) <= at) return;
  node.wakes[partition] = at;
  push(world.queue, at, { kind: 'wake', node: node.index, life: node.life, lane: partition, cargo: at });
}

function carryOut(world: World, node: Node, partition: number, output: InductionOutput): void {
  switch (output.kind) {
    case 'beat':
      return send(world, node, output.beat);
    case 'granted':
      if (!granted(world, node, partition, output.token, output.until)) take(world, node, partition, { kind: 'fenced', slept: true });
      return;
    case 'drain':
      return drain(world, node, partition);
    case 'released':
    case 'lost':
      return ended(world, node, partition);
    case 'decline':
      if (output.on) node.declined.add(partition);
      else node.declined.delete(partition);
      return node.campaigning && node.generation > 0 ? askAnew(world, node) : undefined;
    case 'leader':
    case 'ignored':
    case 'broken':
      return;
  }
}
