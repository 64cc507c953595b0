import type { LeadershipSource } from '@leadership/core';
import { blockLoop } from '../faults/block-loop.ts';
import type { Command } from './command.ts';
import type { Journal } from './journal.ts';
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
  if (command.kind === 'block') block(running, command.ms);
  else if (command.kind === 'resign') void running.source.role(command.partition).resign();
  else running.close();
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
