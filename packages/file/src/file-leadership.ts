import type { LeadershipSource } from '@leadership/core';
import { type Backend, type BackendModule, mergeAddress, openSource, type ResolvedOptions, resolveOptions } from '@leadership/core/backend';
import { balanced, ledgerBackend } from '@leadership/core/ledger';
import { fileLedger } from './ledger.ts';
import { directoryIn, type FileOptions, pollMsOf, resolveDirectory } from './options.ts';
import { filePresence } from './presence.ts';
import { storeAt } from './store.ts';

/**
 * One member of a group on this host, which is kept in a directory. Starts at once; `ready()` waits for the directory.
 * @throws LeadershipError `invalid-options`
 */
export function fileLeadership(options: FileOptions): LeadershipSource {
  const { directory, ...common } = options;
  const resolved = resolveOptions(common);
  return openSource(fileBackend(resolveDirectory(directory), resolved), resolved);
}

/** For `openLeadership('file:DIR?group=GROUP')`. */
export const backend: BackendModule = {
  scheme: 'file',
  parameters: {},
  open(address, options) {
    const { group = '', ...common } = mergeAddress(address, options);
    return fileLeadership({ ...common, group, directory: directoryIn(address) });
  },
};

function fileBackend(directory: string, options: ResolvedOptions): Backend {
  const { group, thresholdMs, thresholdMsMax, partitions, campaign } = options;
  const pollMs = pollMsOf(thresholdMs);
  return ledgerBackend(
    options,
    (host) => {
      const store = storeAt({ directory, group, pollMs, thresholdMs }, host);
      const backOff = { firstMs: pollMs, lastMs: thresholdMs, random: host.random };
      const placement = balanced(filePresence(store), { incarnation: host.incarnation, partitions, clock: host.clock, backOff });
      return { ledger: fileLedger(store, { group, thresholdMsMax, campaign }), placement };
    },
    { newsDelayMs: pollMs },
  );
}
