// Measures for `leadership doctor` how long a renewal of a lease takes on the backend.
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';

/** How often the lease is read. Milliseconds. */
const everyMs = 2;

/**
 * Measures the longest round trip of a renewal, in milliseconds, while this member leads. A lease
 * counts from the moment before its request was sent, so what is missing from T when the answer
 * arrives is the round trip. Returns `undefined` if this member did not lead.
 */
export async function sampleRenewals(
  source: LeadershipSource,
  thresholdMs: number,
  durationMs: number,
): Promise<number | undefined> {
  const trips: number[] = [];
  const before = new Map<number, number>();
  for (const until = performance.now() + durationMs; performance.now() < until; ) {
    for (const [partition, term] of source.held()) {
      const remainingMs = term.remainingMs();
      const earlier = before.get(partition);
      if (earlier !== undefined && remainingMs > earlier) trips.push(thresholdMs - remainingMs);
      before.set(partition, remainingMs);
    }
    await pause(everyMs);
  }
  return trips.length === 0 ? undefined : Math.max(0, ...trips);
}
