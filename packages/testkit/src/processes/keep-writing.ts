// The work of a leader that writes to a store until its term ends.
import { setTimeout as pause } from 'node:timers/promises';
import type { Term } from '@leadership/core';
import { fileFencedStore, fileUnfencedStore } from './file-store.ts';
import type { Journal } from './journal.ts';
import type { MemberWork } from './process-member.ts';

/** The default latency of a write in milliseconds: long enough for SIGSTOP to arrive in between. */
const usualLatencyMs = 25;

/**
 * Writes repeatedly while the term lasts. Each write first checks `isLeading()` and then takes some
 * time, as over a network. A member that is stopped in between becomes a zombie, whose write only a
 * token can reject (T2).
 */
export async function keepWriting(
  work: Extract<MemberWork, { kind: 'write' }>,
  term: Term,
  write: Journal,
): Promise<void> {
  const { store: directory, fenced, latencyMs = usualLatencyMs } = work;
  const { partition, token } = term;
  const store = fenced ? fileFencedStore(directory) : fileUnfencedStore(directory);
  for (let count = 1; term.isCurrent() && !term.signal.aborted; count += 1) {
    const detail = `${token}/${count}`;
    write({ kind: 'writing', partition, token, detail });
    await pause(latencyMs);
    const written = await store
      .write(keyOf(partition), detail, token)
      .catch(() => 'failed' as const);
    write({ kind: outcomes[written], partition, token, detail });
  }
}

/** Returns the store key for the writes of a partition. */
export function keyOf(partition: number): string {
  return `partition-${partition}`;
}

const outcomes = { written: 'wrote', refused: 'write-refused', failed: 'write-failed' } as const;
