// Finds a program of a server that is installed, or that `.ci/install-servers` has built with Go.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from './cache-directory.ts';

/** A program, and the oldest release line on which the tests run. Debian's packages are older. */
export interface RecentProgram {
  readonly name: string;
  /** Where `.ci/install-servers` builds it, in the cache. */
  readonly folder: string;
  /** Matches the first two numbers of the version that it prints. */
  readonly version: RegExp;
  readonly oldest: readonly [major: number, minor: number];
}

/**
 * Resolves with the program of the path, or else the one in the cache; `undefined` if neither is there
 * and new enough.
 */
export async function recentProgram(wanted: RecentProgram): Promise<string | undefined> {
  const { name, folder, version, oldest } = wanted;
  for (const program of [name, join(cacheDirectory(), folder, name)]) {
    const printed = await promisify(execFile)(program, ['--version']).catch(() => ({ stdout: '' }));
    const [, major = 0, minor = 0] = (version.exec(printed.stdout) ?? []).map(Number);
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return program;
  }
  return undefined;
}
