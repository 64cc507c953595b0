// Carries out the commands of a test in a member process.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { blockLoop } from '../faults/block-loop.ts';
import type { Command } from './command.ts';
import type { Journal } from './journal.ts';
import { type OwnStall, ownStall } from './own-stall.ts';
import type { BeliefWatch } from './watch-beliefs.ts';

/** A running member and its journal. */
export interface RunningMember {
  readonly source: LeadershipSource;
  readonly watch: BeliefWatch;
  readonly write: Journal;
  /** Closes the member in order. */
  close(): void;
}

/** Executes a command. */
export function execute(running: RunningMember, command: Command): void {
  switch (command.kind) {
    case 'block':
      return block(running, command.ms);
    case 'resign':
      running.write({ kind: 'resigning', partition: command.partition });
      return void running.source.role(command.partition).resign();
    case 'close':
      return running.close();
    case 'exit':
      return process.exit(1);
    case 'throw':
      throw new Error('dies on command');
    case 'cpu': {
      const { user, system } = process.cpuUsage();
      return running.write({ kind: 'cpu', detail: String((user + system) / 1000) });
    }
    case 'stall':
      return void longestStallMs().then((ms) =>
        running.write({ kind: 'stall', detail: String(ms) }),
      );
    case 'busy':
      return void longestBusyMs().then((ms) => running.write({ kind: 'busy', detail: String(ms) }));
  }
}

/** The sampling interval of the event loop. Milliseconds. */
const resolutionMs = 10;
let delays: IntervalHistogram | undefined;

/** Resolves with the longest stall of the event loop since the previous call, and 0 at the first. */
async function longestStallMs(): Promise<number> {
  // A stall is recorded by the sample after it, and measured from the sample before it.
  await pause(2 * resolutionMs);
  const stallMs = delays === undefined ? 0 : Math.max(0, delays.max / 1e6 - resolutionMs);
  delays ??= monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  delays.reset();
  await pause(2 * resolutionMs);
  return stallMs;
}

let own: OwnStall | undefined;

/** The same without the time in which the process waited for a core. */
async function longestBusyMs(): Promise<number> {
  // A stall is recorded by the sample after it.
  await pause(2 * resolutionMs);
  own ??= ownStall();
  return own.take();
}

function block({ source, watch, write }: RunningMember, ms: number): void {
  const roles = Array.from({ length: source.partitions }, (_, partition) => source.role(partition));
  const tokens = watch.beliefs.map(({ token }) => token);
  const atNs = blockLoop(ms);
  // This call must directly follow the block, before any timer can run (H5).
  const answers = roles.map((role) => role.isLeading());
  answers.forEach((isLeading, partition) => {
    const token = tokens[partition];
    write({
      kind: 'first-statement',
      atNs,
      partition,
      ...(token !== undefined && { token }),
      detail: String(isLeading),
    });
  });
}
