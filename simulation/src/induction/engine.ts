// Runs the real state machines of induction in a simulated process: applies inputs and executes
// outputs.
import {
  type InductionInput,
  type InductionOutput,
  type InductionState,
  stepInduction,
} from '@leadership/induction/internal/protocol';
import type { HostPort } from '../kernel/host.ts';
import { isDue, wakeBy } from '../kernel/process.ts';
import { defined } from '../kernel/random.ts';
import { judgeBegin, judgeResumption, settle } from './judge.ts';
import { send } from './logs.ts';
import { type Node, tickMs, type World } from './world.ts';

/** Applies one input to one partition. */
export function take(world: World, node: Node, partition: number, input: InductionInput): void {
  step(world, node, partition, input);
  arm(world, node);
}

/** Applies one input to one partition. The caller calls `arm` after its last input. */
export function step(world: World, node: Node, partition: number, input: InductionInput): void {
  const before = node.partitions[partition] as InductionState;
  const { state, outputs, wakeAt } = stepInduction(world.rules, before, input, node.clock.moment());
  node.partitions[partition] = state;
  node.wakesAt[partition] = wakeAt;
  if (isFrozen(before) && isBelieving(state) && !isFrozen(state))
    judgeResumption(world, node, partition);
  for (const output of outputs) carryOut(world, node, partition, output);
}

function isFrozen({ leaseState }: InductionState): boolean {
  return (leaseState.kind === 'lingering' || leaseState.kind === 'revoking') && leaseState.frozen;
}

function isBelieving({ leaseState }: InductionState): boolean {
  return leaseState.kind !== 'follower';
}

/** Schedules the next wake-up of a node: the earliest of its partitions, at a full tick. */
export function arm(world: World, node: Node): void {
  let dueAt = Number.POSITIVE_INFINITY;
  for (const wakeAt of node.wakesAt) if (wakeAt < dueAt) dueAt = wakeAt;
  const ms = tickMs(node);
  wakeBy(world, node, 0, Math.ceil(dueAt / ms) * ms, wake);
}

function wake(world: World, at: number, node: Node): void {
  if (!isDue(world, node, 0, at, wake)) return;
  const now = node.clock.now();
  node.wakesAt.forEach((wakeAt, partition) => {
    if (now >= wakeAt) step(world, node, partition, { kind: 'wake' });
  });
  arm(world, node);
}

/** The host of a partition. */
export const hostPort: HostPort<World, Node> = {
  feed: (world, node, input) => take(world, node, input.partition, input),
  drainingToken({ partitions }, partition) {
    const leaseState = partitions[partition]?.leaseState;
    return leaseState?.kind === 'revoking' ? leaseState.token : undefined;
  },
  proved(world, node, hosted, isNew) {
    if (isNew) judgeBegin(world, node, hosted);
  },
  ended: (world, { group }, { partition }) => settle(world, group, partition),
};

function carryOut(world: World, node: Node, partition: number, output: InductionOutput): void {
  const hosted = defined(node.hosted[partition]);
  switch (output.kind) {
    case 'beat':
      return send(world, node, output.beat);
    case 'granted':
      // An extension of a term changes no statistics.
      if (hosted.belief.token !== output.token) settle(world, node.group, partition);
      return void hosted.granted(output.token, output.until);
    case 'drain':
      return hosted.drain(output.token);
    case 'released':
      return hosted.end('released');
    case 'lost':
      return hosted.end(output.reason);
    case 'decline':
      return node.declines.givenUp(partition, output.on);
    case 'unreturned':
      return node.declines.unreturned(partition, output.on);
    case 'leader':
    case 'ignored':
    case 'broken':
      return;
  }
}
