import { LeadershipError, type LeadershipSource } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';
import type { Cluster } from '../conformance/cluster.ts';

/** Long enough for a starved event loop that all members share; the store itself answers at once. Milliseconds. */
const thresholdMs = 250;

/** The memory backend as a cluster. Its members cannot be processes of their own, and its store holds nothing but records. */
export function memoryCluster(): Cluster {
  return {
    name: 'memory',
    thresholdMs,
    open: ({ group, ...options }) => memoryGroup(group).join(options),
    cut,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function cut({ group, member }: LeadershipSource): Disposable {
  // Held, so that it is still the same group when it is mended.
  const severed = memoryGroup(group);
  severed.cut(member);
  return { [Symbol.dispose]: () => unlessGone(() => severed.mend(member)) };
}

/** A member that was closed meanwhile needs no mending. */
function unlessGone(mend: () => void): void {
  try {
    mend();
  } catch (error) {
    if (!(error instanceof LeadershipError) || error.code !== 'invalid-options') throw error;
  }
}
