// Runs the production state machines of one node: applies inputs, executes outputs and keeps one
// wake-up scheduled per lane.

import {
  type LedgerInput,
  type LedgerOutput,
  type PinInput,
  step,
  stepPin,
} from '@leadership/core/internal/ledger';
import { localAt, momentAt, realAt } from '../kernel/clock.ts';
import { push } from '../kernel/queue.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import { readFloor, sendRaised } from './floor.ts';
import { drain, ended, granted } from './host.ts';
import { noteGap, noteHandover } from './moves.ts';
import { ask, send } from './network.ts';
import { type Node, pinLane, type World } from './world.ts';

/** Applies one input to one partition. */
export function take(world: World, node: Node, partition: number, input: LedgerInput): void {
  const before = node.partitions[partition] as Node['partitions'][number];
  const { state, outputs, wakeAt } = step(
    node.rules,
    before,
    input,
    momentAt(node.clock, world.now),
  );
  node.partitions[partition] = state;
  for (const output of outputs) carryOut(world, node, partition, output);
  arm(world, node, partition + 1, wakeAt);
}

/** Applies one input to the pin (R3) and passes a changed pin status to every partition. */
function takePin(world: World, node: Node, input: PinInput): void {
  const { state, pin, write, wakeAt } = stepPin(
    node.rules,
    node.pin,
    input,
    momentAt(node.clock, world.now),
    node.campaigning,
  );
  node.pin = state;
  if (write) send(world, node, pinLane, write);
  arm(world, node, pinLane, wakeAt);
  if (pin === node.pinned) return;
  node.pinned = pin;
  for (let partition = 0; partition < node.partitions.length; partition += 1)
    take(world, node, partition, { kind: 'pin', pin });
}

/** Passes an input to the state machine of a lane: the pin or a partition. */
export function learn(world: World, node: Node, lane: number, news: PinInput): void {
  if (lane === pinLane) takePin(world, node, news);
  else if (lane <= node.partitions.length) take(world, node, lane - 1, news);
}

/** Processes a wake-up. If its due time has moved to a later moment, schedules it again. */
export function wake(world: World, node: Node, lane: number, at: number): void {
  if (node.wakes[lane] !== at) return;
  node.wakes[lane] = Number.POSITIVE_INFINITY;
  const dueAt = node.dues[lane] as number;
  if (localAt(node.clock, world.now) < dueAt) arm(world, node, lane, dueAt);
  else learn(world, node, lane, wakeUp);
}

const wakeUp = { kind: 'wake' } as const;

/** Delay of every timer, in milliseconds. Timers fire late, never early. */
const timerLateMs = 0.01;

/**
 * Schedules a wake-up by `wakeAt`. An earlier wake-up that is already scheduled reschedules itself.
 */
function arm(world: World, node: Node, lane: number, wakeAt: number): void {
  node.dues[lane] = wakeAt;
  if (wakeAt === Number.POSITIVE_INFINITY) return;
  const at = Math.max(realAt(node.clock, wakeAt), world.now) + timerLateMs;
  if ((node.wakes[lane] as number) <= at) return;
  node.wakes[lane] = at;
  push(world.queue, at, { kind: 'wake', node: node.index, life: node.life, lane, cargo: at });
}

type Write = LedgerOutput & { readonly kind: 'write' };

function write(world: World, node: Node, partition: number, { record, raisesFloor }: Write): void {
  if (record.to) noteHandover(world, partition, record.to);
  const isDraining =
    record.kind === 'hold' && node.partitions[partition]?.tenure.kind === 'revoking';
  if (isDraining && !world.rules.host.provesWhileDraining) return;
  if (raisesFloor) sendRaised(world, node, partition + 1, record);
  else send(world, node, partition + 1, record);
}

function carryOut(world: World, node: Node, partition: number, output: LedgerOutput): void {
  const lane = partition + 1;
  switch (output.kind) {
    case 'write':
      return write(world, node, partition, output);
    case 'read-floor':
      return readFloor(world, node, lane);
    case 'granted':
      return granted(world, node, partition, output.token, output.until);
    case 'ask':
      return ask(world, node, lane, output.want);
    case 'drain':
      return drain(world, node, partition);
    case 'released':
      return ended(world, node, partition, 'released');
    case 'lost':
      if (output.reason === 'expired') noteGap(world, node);
      return ended(world, node, partition, 'fenced');
    case 'reread':
      return soon(world, delayMs(world), {
        kind: 'reread',
        node: node.index,
        life: node.life,
        lane,
        cargo: undefined,
      });
    case 'leader':
    case 'broken':
      return;
  }
}
