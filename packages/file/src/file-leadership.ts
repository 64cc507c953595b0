// `fileLeadership`: leadership among the processes of one host, kept in a directory.
import type { LeadershipSource } from '@leadership/core';
import {
  type Backend,
  type BackendModule,
  mergeAddress,
  type OptionLimits,
  openSource,
  type ResolvedOptions,
  resolveOptions,
} from '@leadership/core/adapter';
import { balanced, ledgerBackend } from '@leadership/core/internal/lease';
import { fileLedger } from './ledger.ts';
import { filePresence } from './members/presence.ts';
import { directoryIn, type FileOptions, pollMsOf, resolveDirectory } from './options.ts';
import { storeAt } from './store.ts';

/**
 * Twice as many as were measured: 128 in three processes on two busy cores settle within 2.3 T, T
 * being 3 s.
 */
const limits: OptionLimits = { partitions: { max: 256, backend: 'file' }, own: ['directory'] };

/**
 * Opens a source for one member of a group on this host, which is kept in a directory. It starts at
 * once; `ready()` resolves when the directory is usable.
 * @throws LeadershipError `invalid-options`
 */
export function fileLeadership(options: FileOptions): LeadershipSource {
  const { directory, ...common } = options;
  const resolved = resolveOptions(common, limits);
  return openSource(fileBackend(resolveDirectory(directory), resolved), resolved);
}

/** The backend module for `openLeadership('file:DIR?group=GROUP')`. */
export const backend: BackendModule = {
  scheme: 'file',
  parameters: {},
  open(address, options) {
    const place = { directory: directoryIn(address) };
    const { group = '', ...merged } = mergeAddress(address, options, place);
    return fileLeadership({ ...merged, group });
  },
};

/**
 * Creates the backend of a source on files.
 * @param ledgerOf - creates the ledger; for tests
 */
export function fileBackend(
  directory: string,
  options: ResolvedOptions,
  ledgerOf: typeof fileLedger = fileLedger,
): Backend {
  const { group, thresholdMs, thresholdMsMax, partitions, campaign } = options;
  const pollMs = pollMsOf(thresholdMs);
  return ledgerBackend(
    options,
    (host) => {
      const store = storeAt({ directory, group, pollMs, thresholdMs, campaign }, host);
      const backOff = { firstMs: pollMs, lastMs: thresholdMs, random: host.random };
      const placement = balanced(filePresence(store), {
        incarnation: host.incarnation,
        partitions,
        clock: host.clock,
        backOff,
      });
      return { ledger: ledgerOf(store, { group, thresholdMsMax }), placement };
    },
    { deliveryDelayMs: pollMs },
  );
}
