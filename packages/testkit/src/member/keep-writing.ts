import { setTimeout as pause } from 'node:timers/promises';
import type { Term } from '@leadership/core';
import type { MemberWork } from '../faults/process-member.ts';
import { fileFencedStore } from '../stores/file-fenced-store.ts';
import { fileUnfencedStore } from '../stores/file-unfenced-store.ts';
import type { Journal } from './journal.ts';

/** How long a write is on its way unless it is said: long enough to be stopped in. Milliseconds. */
const usualLatencyMs = 25;

/**
 * Writes again and again while the term lasts. Each write is preceded by the question whether this member leads, and is on its way
 * for a while then, as over a network: a member that is stopped there is the zombie that tokens are for (T2).
 */
export async function keepWriting(work: Extract<MemberWork, { kind: 'write' }>, term: Term, write: Journal): Promise<void> {
  const { store: directory, fenced, latencyMs = usualLatencyMs } = work;
  const { partition, token } = term;
  const store = fenced ? fileFencedStore(directory) : fileUnfencedStore(directory);
  for (let count = 1; term.isCurrent() && !term.signal.aborted; count += 1) {
    const detail = `${token}/${count}`;
    write({ kind: 'writing', partition, token, detail });
    await pause(latencyMs);
    const written = await store.write(keyOf(partition), detail, token).catch(() => 'failed' as const);
    write({ kind: outcomes[written], partition, token, detail });
  }
}

/** What a partition's writes go to in the store. */
export function keyOf(partition: number): string {
  return `partition-${partition}`;
}

const outcomes = { written: 'wrote', refused: 'write-refused', failed: 'write-failed' } as const;
