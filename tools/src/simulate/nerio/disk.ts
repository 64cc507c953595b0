// What members keep on disk (N4, N13), and what becomes of it: a directory there is none of, one that is lost or put back from an older
// copy, and writes that hang.
import { afterLoss, isWorthKeeping, type MemberState, type Memory, memoryOf, type NerioOutput, type Vow } from '@leadership/nerio/protocol';
import { momentAt, push, type Real } from '@leadership/testkit/world';
import type { Keeping } from './scenario.ts';
import type { Node, World } from './world.ts';

/** One member's directory. */
export interface Disk {
  readonly keeps: Keeping;
  /** What it is bound to, and what it granted when that was last written. */
  vow: Vow;
  memory: Memory | undefined;
  /** A copy that somebody made. */
  copy: { readonly vow: Vow; readonly memory: Memory | undefined } | undefined;
  /** Whether whoever starts the process next says that the directory was lost, or is an older copy. */
  saidLost: boolean;
  /** Until when writes hang, and what has to wait for them. */
  hangsUntil: Real;
  waiting: NerioOutput[] | undefined;
}

/** A directory in which nothing has been written but with whom the group begins. */
export function newDisk(keeps: Keeping, vow: Vow): Disk {
  return { keeps, vow, memory: undefined, copy: undefined, saidLost: false, hangsUntil: 0, waiting: undefined };
}

/** Whether the member has a directory. */
export function keepsVows({ disk }: Node): boolean {
  return disk.keeps !== 'nothing';
}

/** Whether what a step wants done has to wait: a write hangs, or would. It goes out in its order then. */
export function waitsForDisk(world: World, node: Node, before: MemberState, outputs: readonly NerioOutput[]): boolean {
  const { disk } = node;
  if (disk.waiting === undefined) {
    if (disk.hangsUntil <= world.now || !writes(node, before, outputs)) return false;
    disk.waiting = [];
    push(world.queue, disk.hangsUntil, { kind: 'written', node: node.index, life: node.life, cargo: undefined });
  }
  for (const output of outputs) disk.waiting.push(output);
  return true;
}

function writes({ disk, state }: Node, before: MemberState, outputs: readonly NerioOutput[]): boolean {
  if (disk.keeps === 'nothing') return false;
  return outputs.some(({ kind }) => kind === 'persist') || (disk.keeps === 'grants' && isWorthKeeping(before, state));
}

/** Writes hang from now on. */
export function hang(world: World, node: Node, ms: number): void {
  const { disk } = node;
  if (disk.waiting !== undefined) return;
  disk.memory = memoryNow(world, node);
  disk.hangsUntil = world.now + ms;
}

/** They are done: what has waited for them, one after the other. What that leads to waits its turn. */
export function nextWritten({ disk }: Node): NerioOutput | undefined {
  const next = disk.waiting?.shift();
  if (next === undefined) disk.waiting = undefined;
  return next;
}

/** The process ends: what has waited for a write that hung is lost with it. */
export function lastWritten(world: World, node: Node): void {
  const { disk } = node;
  if (disk.waiting === undefined) disk.memory = memoryNow(world, node);
  disk.waiting = undefined;
  disk.hangsUntil = 0;
}

function memoryNow({ now }: World, { disk, state, rules, clock }: Node): Memory | undefined {
  return disk.keeps === 'grants' ? memoryOf(state, rules.clock(momentAt(clock, now))) : undefined;
}

/** Somebody copies the directory. */
export function copy(world: World, node: Node): void {
  const { disk } = node;
  if (disk.keeps !== 'nothing' && disk.waiting === undefined) disk.copy = { vow: disk.vow, memory: memoryNow(world, node) };
}

/** Puts the copy back, and says so. */
export function restore({ disk }: Node): void {
  Object.assign(disk, disk.copy, { saidLost: true });
}

/** A life that is told of the loss puts that on disk before anything else. */
export function noteLoss({ disk }: Node): void {
  disk.vow = afterLoss(disk.vow);
  disk.memory = undefined;
}

/** Loses the directory, and says so. */
export function wipe({ disk }: Node, vow: Vow): void {
  Object.assign(disk, { vow, memory: undefined, saidLost: true });
}
