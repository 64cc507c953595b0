import { resolve } from 'node:path';
import { LeadershipError, type SourceOptions } from '@leadership/core';
import type { LeadershipAddress } from '@leadership/core/backend';

/** What {@link fileLeadership} takes. */
export interface FileOptions extends SourceOptions {
  /** Where groups are kept. Made where it is missing; relative to the working directory. Must lie on a local disk. */
  readonly directory: string;
  /** The members that contend for the same roles. */
  readonly group: string;
}

/** How often is read what no watch told, as a share of T: a lost notification must not cost much of a fail-over. */
const pollShare = 1 / 8;
/** Reading more often than this costs more than it brings. Milliseconds. */
const pollMsMin = 10;

/** How often a member with this T reads what no watch told. Milliseconds. */
export function pollMsOf(thresholdMs: number): number {
  return Math.max(pollMsMin, pollShare * thresholdMs);
}

/**
 * The absolute path of a directory option.
 * @throws LeadershipError `invalid-options` where it is none
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
 * The directory that `file:DIR` names, relative or absolute.
 * @throws LeadershipError `invalid-options` where the URL names a host
 */
export function directoryIn({ hosts, path }: LeadershipAddress): string {
  if (hosts.length === 0) return path;
  const [host] = hosts;
  throw new LeadershipError('invalid-options', `file://${host}… names a host: write file:DIR or file:///DIR, for a directory of this one`);
}
