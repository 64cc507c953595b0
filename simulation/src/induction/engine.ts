// Runs the production state machines of one node: applies inputs, executes outputs and keeps one
// wake-up scheduled per partition.
import {
  type InductionInput,
  type InductionOutput,
  type InductionState,
  stepInduction,
} from '@leadership/core/internal/induction';
import { localAt, momentAt, realAt } from '../kernel/clock.ts';
import { push } from '../kernel/queue.ts';
import { there } from '../kernel/random.ts';
import { drain, ended, granted } from './host.ts';
import { judgeResumption } from './judge.ts';
import { send } from './logs.ts';
import { askAnew } from './membership.ts';
import type { Node, World } from './world.ts';

/** Applies one input to one partition. */
export function take(world: World, node: Node, partition: number, input: InductionInput): void {
  const before = there(node.partitions[partition]);
  const { state, outputs, wakeAt } = stepInduction(
    world.rules,
    before,
    input,
    momentAt(node.clock, world.now),
  );
  node.partitions[partition] = state;
  if (isFrozen(before) && isBelieving(state) && !isFrozen(state))
    judgeResumption(world, node, partition);
  for (const output of outputs) carryOut(world, node, partition, output);
  arm(world, node, partition, wakeAt);
}

function isFrozen({ tenure }: InductionState): boolean {
  return (tenure.kind === 'lingering' || tenure.kind === 'draining') && tenure.frozen;
}

function isBelieving({ tenure }: InductionState): boolean {
  return tenure.kind !== 'follower';
}

/** Applies an input to each partition. */
export function takeEach(
  world: World,
  node: Node,
  inputOf: (partition: number) => InductionInput,
): void {
  for (let partition = 0; partition < node.partitions.length; partition += 1)
    take(world, node, partition, inputOf(partition));
}

/** Processes a wake-up. If its due time has moved to a later moment, schedules it again. */
export function wake(world: World, node: Node, partition: number, at: number): void {
  if (node.wakes[partition] !== at) return;
  node.wakes[partition] = Number.POSITIVE_INFINITY;
  const dueAt = there(node.dues[partition]);
  if (localAt(node.clock, world.now) < dueAt) arm(world, node, partition, dueAt);
  else take(world, node, partition, { kind: 'wake' });
}

/** Delay of every timer, in milliseconds. Timers fire late, never early. */
const timerLateMs = 0.01;

/**
 * Schedules a wake-up by `wakeAt`. An earlier wake-up that is already scheduled reschedules itself.
 */
function arm(world: World, node: Node, partition: number, wakeAt: number): void {
  node.dues[partition] = wakeAt;
  if (wakeAt === Number.POSITIVE_INFINITY) return;
  const at = Math.max(realAt(node.clock, wakeAt), world.now) + timerLateMs;
  if (there(node.wakes[partition]) <= at) return;
  node.wakes[partition] = at;
  push(world.queue, at, {
    kind: 'wake',
    node: node.index,
    life: node.life,
    lane: partition,
    cargo: at,
  });
}

function carryOut(world: World, node: Node, partition: number, output: InductionOutput): void {
  switch (output.kind) {
    case 'beat':
      return send(world, node, output.beat);
    case 'granted':
      if (!granted(world, node, partition, output.token, output.until))
        take(world, node, partition, { kind: 'fenced', lapse: false });
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
