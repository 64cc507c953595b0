// Waits for a renewal in the tests of an adapter.
import type { Role } from '@leadership/core';
import { eventually } from './eventually.ts';

/** Clocks are rounded. Milliseconds. */
const roundingMs = 1;

/**
 * Resolves once the member has renewed its lease of the role since the call. The time that remains
 * does not show it: after a slow request it is less than right after a fast one.
 */
export async function leaseRenewed(role: Role): Promise<void> {
  // The order of the calls matters if the process is preempted between them: the first sum is never
  // too small, the others are never too great.
  const endBefore = role.remainingMs() + performance.now();
  await eventually(
    'the lease is renewed',
    () => role.isLeading() && performance.now() + role.remainingMs() > endBefore + roundingMs,
  );
}
