import { LeadershipError, type LeadershipSource } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';
import type { Cluster } from '../../src/conformance/cluster.ts';

/** T in milliseconds, long enough for a starved event loop that all members share. */
const thresholdMs = 250;

/**
 * Creates a cluster with the memory backend. It has no member processes, and its store contains
 * only valid records.
 */
export function memoryCluster(): Cluster {
  return {
    name: 'memory',
    thresholdMs,
    announcesClaims: true,
    keepsPartitionsMax: true,
    open: ({ group, ...options }) => memoryGroup(group).join(options),
    cut,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function cut({ group, member }: LeadershipSource): Disposable {
  // The reference keeps the group alive until the connection is restored.
  const severed = memoryGroup(group);
  severed.cut(member);
  return { [Symbol.dispose]: () => unlessGone(() => severed.mend(member)) };
}

/** Runs `mend` and ignores the error of a member that is already closed. */
function unlessGone(mend: () => void): void {
  try {
    mend();
  } catch (error) {
    if (!(error instanceof LeadershipError) || error.code !== 'invalid-options') throw error;
  }
}
