import {
  type Exchange,
  type Exchanged,
  openSource,
  type Rows,
  resolveOptions,
} from '@leadership/core/adapter';
import { raceSignal } from '@leadership/core/internal/engine';
import type { Cluster } from '@leadership/testkit';
import { proxiedMembers, type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import { fileBackend } from '../../src/file-leadership.ts';
import { fileRows } from '../../src/rows/rows.ts';

/** The signal of a write that takes effect although its member has given it up. */
const patient = new AbortController().signal;

/**
 * Opens members of one directory whose reads and writes can be made to fail. All members share one disk
 * thread and one path, so the faults are injected where a member's election calls its directory.
 * The files and the calls behind it are real.
 */
export function membersWithFaults(
  directory: string,
): Pick<Cluster, 'open' | 'cut' | 'storeFaults' | 'cannot'> {
  const { open, cut, storeFaults } = proxiedMembers((options) => {
    const proxy = storeProxy();
    const resolved = resolveOptions(options, { keepsPartitionsMax: true });
    const backend = fileBackend(directory, resolved, (...args) => {
      const rows = fileRows(...args);
      return { ...rows, exchange: (...request) => through(proxy, rows, ...request) };
    });
    return { source: openSource(backend, resolved), proxy };
  });
  const { 'stale-reads': _, ...possible } = storeFaults;
  return {
    open,
    cut,
    storeFaults: possible,
    cannot: {
      'stale-reads': 'a directory of one host has no replica, and network file systems are refused',
      'request-count': 'a disk has calls, not requests',
      'lose-quorum': 'a directory has no voters',
      'voter-names': 'two members may have one name',
    },
  };
}

/** An exchange reads first: its changes are a request of their own. */
async function through(
  way: StoreProxy,
  rows: Rows,
  request: Exchange,
  signal: AbortSignal,
): Promise<Exchanged> {
  const { changes } = request;
  const send = (until: AbortSignal): Promise<Exchanged> => rows.exchange(request, until);
  if (changes.length === 0)
    return raceSignal(
      way.read('rows', () => send(signal)),
      signal,
    );
  await raceSignal(
    way.read('rows', async () => undefined),
    signal,
  );
  return way.write(() => send(signal.aborted ? patient : signal));
}
