import type { LeadershipSource } from '@leadership/core';
import { openSource, resolveOptions } from '@leadership/core/backend';
import type { Cluster } from '@leadership/testkit';
import { type StoreWay, storeWay } from '@leadership/testkit/faults';
import { fileBackend } from '../../src/file-leadership.ts';
import { fileLedger } from '../../src/ledger.ts';

/** What a write goes by that lands although its member has given it up long ago. */
const patient = new AbortController().signal;

/**
 * Members of one directory whose writes can be hampered: replies that are lost, and writes that land late. A disk has no replica
 * that answers stale, no way that is cut in one direction and no credentials; reads that hang hang the thread of all members.
 */
export function hamperable(directory: string): Pick<Cluster, 'open'> & Required<Pick<Cluster, 'ways'>> {
  const ways = new WeakMap<LeadershipSource, StoreWay>();
  const hamper = (fault: 'lost-replies' | 'late-writes') => (source: LeadershipSource) => {
    const way = ways.get(source);
    if (way === undefined) throw new RangeError(`${source.member} was opened elsewhere`);
    return way.hamper(fault);
  };
  return {
    open(options) {
      const way = storeWay();
      const resolved = resolveOptions(options);
      const backend = fileBackend(directory, resolved, (...args) => {
        const ledger = fileLedger(...args);
        return { ...ledger, write: (record, signal) => way.write(() => ledger.write(record, signal.aborted ? patient : signal)) };
      });
      const source = openSource(backend, resolved);
      ways.set(source, way);
      return source;
    },
    ways: { 'lost-replies': hamper('lost-replies'), 'late-writes': hamper('late-writes') },
  };
}
