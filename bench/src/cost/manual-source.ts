// A source without an election, for benchmarks of the code between a backend and its subscribers:
// the benchmark itself says when a term begins and ends.
import type { LeadershipSource } from '@leadership/core';
import {
  type Backend,
  type Clock,
  type Host,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';

/**
 * A production source over a backend without any logic: the caller makes all calls to `host`
 * itself.
 */
export interface ManualSource {
  readonly source: LeadershipSource;
  readonly host: Host;
}

/** Opens a source with this many partitions, by the clock of the process unless another is given. */
export function manualSource(partitions: number, clock?: Clock): ManualSource {
  const hosts: Host[] = [];
  const options = resolveOptions({ group: 'bench', partitions, log: false });
  const source = openSource(idle(hosts), options, clock && { clock });
  const [host] = hosts;
  if (host === undefined) throw new RangeError('the source did not start its backend');
  // The cost of each grant includes the watches of a source that is ready.
  host.ready();
  return { source, host };
}

function idle(hosts: Host[]): Backend {
  const done = (): Promise<void> => Promise.resolve();
  return {
    guarantees: {
      exclusive: true,
      tokens: 'ordered',
      handover: 'drained',
      assumes: [],
      overlapMsMax: 0,
      failoverMsMax: 'unbounded',
    },
    start(host) {
      hosts.push(host);
      return { resign: done, campaign: () => undefined, close: done };
    },
  };
}
