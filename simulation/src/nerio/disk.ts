// The simulated disk of a Nerio member (N4, N13), and its faults: a member without a directory, a
// directory that is lost or restored from an older copy, and writes that hang.
import {
  afterLoss,
  type HardState,
  isWorthKeeping,
  type MemberState,
  type Memory,
  memoryOf,
  type NerioOutput,
} from '@leadership/nerio/internal/protocol';
import type { Node, World } from './world.ts';

/** Returns whether the member has a directory. */
export function keepsHardState({ disk }: Node): boolean {
  return disk.keeps !== 'nothing';
}

/** Returns whether outputs must wait because a write hangs. Queues them in order if so. */
export function waitsForDisk(
  world: World,
  node: Node,
  before: MemberState,
  outputs: readonly NerioOutput[],
): boolean {
  const { disk } = node;
  if (disk.waiting === undefined) {
    if (disk.hangsUntil <= world.now || !writes(node, before, outputs)) return false;
    disk.waiting = [];
  }
  for (const output of outputs) disk.waiting.push(output);
  return true;
}

function writes(
  { disk, state }: Node,
  before: MemberState,
  outputs: readonly NerioOutput[],
): boolean {
  if (disk.keeps === 'nothing') return false;
  return (
    outputs.some(({ kind }) => kind === 'persist') ||
    (disk.keeps === 'grants' && isWorthKeeping(before, state))
  );
}

/** Makes writes hang for `ms` milliseconds. */
export function hang(world: World, node: Node, ms: number): void {
  const { disk } = node;
  if (disk.waiting !== undefined) return;
  disk.memory = memoryNow(node);
  disk.hangsUntil = world.now + ms;
}

/**
 * Returns the next output that waited for a write. Further outputs of the step it leads to queue
 * behind it.
 */
export function nextWritten({ disk }: Node): NerioOutput | undefined {
  const next = disk.waiting?.shift();
  if (next === undefined) disk.waiting = undefined;
  return next;
}

/** Ends the process: outputs that waited for a hanging write are lost. */
export function lastWritten(node: Node): void {
  const { disk } = node;
  if (disk.waiting === undefined) disk.memory = memoryNow(node);
  disk.waiting = undefined;
  disk.hangsUntil = 0;
}

function memoryNow({ disk, state, rules, clock }: Node): Memory | undefined {
  return disk.keeps === 'grants' ? memoryOf(state, rules.clock(clock.moment())) : undefined;
}

/** Copies the directory. */
export function copy(node: Node): void {
  const { disk } = node;
  if (disk.keeps !== 'nothing' && disk.waiting === undefined)
    disk.copy = { hardState: disk.hardState, memory: memoryNow(node) };
}

/** Restores the copy and reports the loss at the next start. */
export function restore({ disk }: Node): void {
  Object.assign(disk, disk.copy, { saidLost: true });
}

/** Writes the reported loss to the directory before anything else. */
export function noteLoss({ disk }: Node): void {
  disk.hardState = afterLoss(disk.hardState);
  disk.memory = undefined;
}

/** Loses the directory and reports the loss at the next start. */
export function wipe({ disk }: Node, hardState: HardState): void {
  Object.assign(disk, { hardState, memory: undefined, saidLost: true });
}
