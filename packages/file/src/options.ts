// The options of the file backend: their types, defaults and checks.
import { resolve } from 'node:path';
import { LeadershipError, type SourceOptions } from '@leadership/core';
import type { LeadershipAddress } from '@leadership/core/adapter';

/** Options for {@link fileLeadership}. */
export interface FileOptions extends SourceOptions {
  /**
   * The directory for the files of all groups. Created if it is missing; relative to the working
   * directory. Must be on a local disk.
   */
  readonly directory: string;
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
}

/** The poll interval as a share of T: a watch that the system refuses must not prolong a fail-over much. */
const pollShare = 1 / 8;
/** More frequent polls cost more than they help. Milliseconds. */
const pollMsMin = 10;

/**
 * Returns the interval at which a member with this T reads a directory that it cannot watch.
 * Milliseconds.
 */
export function pollMsOf(thresholdMs: number): number {
  return Math.max(pollMsMin, pollShare * thresholdMs);
}

/**
 * Returns the absolute path of a directory option.
 * @throws LeadershipError `invalid-options` if it is not a path
 */
export function resolveDirectory(directory: unknown): string {
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0')) {
    throw new LeadershipError(
      'invalid-options',
      `directory ${JSON.stringify(directory)} must be a path, as in file:/var/lib/app?group=billing`,
    );
  }
  return resolve(directory);
}

/**
 * Returns the directory of a `file:DIR` URL, relative or absolute.
 * @throws LeadershipError `invalid-options` if the URL names a host
 */
export function directoryIn({ hosts, path }: LeadershipAddress): string {
  if (hosts.length === 0) return path;
  const [host] = hosts;
  throw new LeadershipError(
    'invalid-options',
    `file://${host}… names a host: write file:DIR or file:///DIR for a directory of this host`,
  );
}
