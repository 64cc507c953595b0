// Runs the real state machines of the ledger lease in a simulated process: applies inputs and
// executes outputs.
import {
  type LedgerInput,
  type LedgerOutput,
  type PinInput,
  step,
  stepPin,
} from '@leadership/core/internal/ledger';
import type { HostPort } from '../kernel/host.ts';
import { judgeRevival, noteEnd, noteGap, violation } from '../kernel/judge.ts';
import { delayMs } from '../kernel/network.ts';
import { isDue, wakeBy } from '../kernel/process.ts';
import { defined } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { judgePinStep, judgeProof, judgeStep, noteHandover } from './judge.ts';
import { lastToken, type Node, pinSlot, type World } from './world.ts';
import { readFloor, requestLease, send, sendRaised } from './writes.ts';

/** Applies one input to one partition. */
export function take(world: World, node: Node, partition: number, input: LedgerInput): void {
  const before = node.partitions[partition] as Node['partitions'][number];
  const moment = node.clock.moment();
  const { state, outputs, wakeAt } = step(node.rules, before, input, moment);
  const { now, wallMicros } = moment;
  node.partitions[partition] = state;
  judgeStep(world, node, partition, { input, now, wallMicros, outputs, wakeAt });
  for (const output of outputs) carryOut(world, node, partition, output);
  wakeBy(world, node, partition + 1, wakeAt, wake);
}

/** Applies one input to the pin (R3) and passes a changed pin status to every partition. */
function takePin(world: World, node: Node, input: PinInput): void {
  const { rules, clock, campaigning } = node;
  const moment = clock.moment();
  const step = stepPin(rules, node.pin, input, moment, campaigning);
  node.pin = step.state;
  judgePinStep(world, node, { input, ...moment, pin: step.pin, write: step.write });
  if (step.write) send(world, step.write, node, pinSlot);
  wakeBy(world, node, pinSlot, step.wakeAt, wake);
  if (step.pin === node.pinned) return;
  node.pinned = step.pin;
  node.partitions.forEach((_, partition) => {
    take(world, node, partition, { kind: 'pin', pin: step.pin });
  });
}

/** Applies an input to the state machine of a slot. The pin gets only inputs that it knows. */
export function feed(world: World, input: LedgerInput, node: Node, slot: number): void {
  if (slot === pinSlot) takePin(world, node, input as PinInput);
  else if (slot <= node.partitions.length) take(world, node, slot - 1, input);
}

function wake(world: World, at: number, node: Node, slot: number): void {
  if (isDue(world, node, slot, at, wake)) feed(world, { kind: 'wake' }, node, slot);
}

/** The host of a partition. */
export const hostPort: HostPort<World, Node> = {
  feed: (world, node, input) => take(world, node, input.partition, input),
  drainingToken({ partitions }, partition) {
    const leaseState = partitions[partition]?.leaseState;
    return leaseState?.kind === 'revoking' ? leaseState.token : undefined;
  },
  proved: judgeProof,
  ended: noteEnd,
};

function reread(world: World, _content: undefined, node: Node, slot: number): void {
  world.storeKind.reread(world, node, slot);
}

type Output<Kind extends LedgerOutput['kind']> = LedgerOutput & { readonly kind: Kind };

function write(world: World, node: Node, partition: number, output: Output<'write'>): void {
  const { record, raisesFloor } = output;
  if (record.token > lastToken)
    violation(world, 'T1', node, partition, 'writes a token that no member can read');
  if (record.to) noteHandover(world, partition, record.to);
  const isDraining =
    record.kind === 'hold' && node.partitions[partition]?.leaseState.kind === 'revoking';
  if (isDraining && !world.storeRules.provesWhileDraining) return;
  if (raisesFloor) sendRaised(world, record, node, partition + 1);
  else send(world, record, node, partition + 1);
}

function granted(world: World, node: Node, partition: number, output: Output<'granted'>): void {
  const { token, until } = output;
  if (!defined(node.hosted[partition]).granted(token, until))
    judgeRevival(world, node, partition, output, 'T1');
}

function carryOut(world: World, node: Node, partition: number, output: LedgerOutput): void {
  const slot = partition + 1;
  const hosted = defined(node.hosted[partition]);
  switch (output.kind) {
    case 'write':
      return write(world, node, partition, output);
    case 'read-floor':
      return readFloor(world, node, slot);
    case 'granted':
      return granted(world, node, partition, output);
    case 'request-lease':
      return requestLease(world, node, slot, output.request);
    case 'drain':
      return hosted.drain(output.token);
    case 'released':
      return hosted.end('released');
    case 'lost':
      if (output.reason === 'expired') noteGap(world, node);
      return hosted.end(output.reason);
    case 'reread':
      return scheduleFor(world, node, delayMs(world), reread, undefined, slot);
    case 'leader':
    case 'ignored':
    case 'broken':
      return;
  }
}
