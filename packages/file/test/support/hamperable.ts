import type { LeadershipSource } from '@leadership/core';
import { openSource, resolveOptions } from '@leadership/core/backend';
import type { Cluster } from '@leadership/testkit';
import { type StoreWay, storeWay } from '@leadership/testkit/faults';
import { fileBackend } from '../../src/file-leadership.ts';
import { fileLedger } from '../../src/ledger.ts';

/** A signal that never aborts, for writes that land long after their member has given up. */
const patient = new AbortController().signal;

/**
 * Opens members of one directory whose writes can be disturbed: replies are lost, or writes land
 * late. A disk has no replica with stale answers, no one-way network fault and no credentials, and
 * a hanging read would block the thread of all members.
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
