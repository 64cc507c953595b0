// `fileLeadership`: leadership among the processes of one host, kept in a directory.
import type { LeadershipSource } from '@leadership/core';
import {
  type Backend,
  type BackendModule,
  type Host,
  leaseBackend,
  mergeAddress,
  type OptionLimits,
  openSource,
  type ResolvedOptions,
  type Rows,
  resolveOptions,
} from '@leadership/core/adapter';
import { directoryIn, type FileOptions, pollMsOf, resolveDirectory } from './options.ts';
import { type FileRowsOptions, fileRows } from './rows/rows.ts';

/** Each reading lists the directory, in which a partition has two files. */
const limits: OptionLimits = {
  partitions: { max: 1000, backend: 'file' },
  own: ['directory'],
  keepsPartitionsMax: true,
};

/**
 * Opens a source for one member of a group on this host, which is kept in a directory. It starts at
 * once; `ready()` resolves when the directory is usable.
 * @throws LeadershipError `invalid-options`
 */
export function fileLeadership(options: FileOptions): LeadershipSource {
  const resolved = resolveOptions(options, limits);
  return openSource(fileBackend(resolveDirectory(options.directory), resolved), resolved);
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
 * @param open - opens the rows; for tests
 */
export function fileBackend(
  directory: string,
  options: ResolvedOptions,
  open: (options: FileRowsOptions, host: Host) => Rows = fileRows,
): Backend {
  const { group, thresholdMs, thresholdMsMax } = options;
  return leaseBackend(
    options,
    (host) => open({ directory, group, thresholdMs, thresholdMsMax }, host),
    { sightMs: pollMsOf(thresholdMs) },
  );
}
