// Creates directories for an election, even if another process removes them meanwhile.
import { dirname } from 'node:path';
import { LeadershipError } from '@leadership/core';
import { codeOf, missing, unless } from '../errors.ts';
import { disk } from './disk.ts';
import { syncDirectory } from './sync-directory.ts';

/**
 * Other processes may remove the directory during creation. More failures than this have another
 * cause.
 */
const triesMax = 10;

/**
 * Creates a directory and its parents unless they exist. It creates one level at a time, because
 * the recursive `mkdir` of Node reports `ENOENT` if permission is missing.
 * @throws LeadershipError `misconfigured-backend` if a file has that name, `unreachable` if nothing
 *   can be created in an existing parent; system errors otherwise
 */
export async function makeDirectory(path: string): Promise<void> {
  let failure: unknown;
  for (let tries = 0; tries < triesMax; tries += 1) {
    failure = await attempt(path);
    if (failure === undefined) return;
    if (codeOf(failure) === 'ENOENT') await makeDirectory(dirname(path));
  }
  // A directory that was removed while mounted or open still exists by its name, and so does /proc.
  const advice =
    'nothing can be created in its parent directory, which was removed or replaced, or is not on a disk';
  throw new LeadershipError(
    'unreachable',
    `${path}: ${advice}. Recreate the parent directory, or correct the path`,
    { cause: failure },
  );
}

/** Returns why the directory is still missing and worth another try; `undefined` once it exists. */
async function attempt(path: string): Promise<unknown> {
  try {
    await disk.mkdir(path);
    // Sync the parent: without the new name in it, no content would survive a power loss.
    await syncDirectory(dirname(path));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return (await isTaken(path, error)) ? undefined : error;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    return error;
  }
  return undefined;
}

/**
 * Returns whether the directory exists; `false` if it was removed meanwhile. Throws if it is not a
 * directory.
 */
async function isTaken(path: string, cause: unknown): Promise<boolean> {
  const found =
    (await unless(missing, disk.stat(path))) ?? (await unless(missing, disk.lstat(path)));
  if (found === undefined || found.isDirectory) return found !== undefined;
  throw new LeadershipError(
    'misconfigured-backend',
    `${path}: it is not a directory, nor a link to one: correct the directory`,
    { cause },
  );
}
