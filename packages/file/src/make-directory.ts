import { dirname } from 'node:path';
import { LeadershipError } from '@leadership/core';
import { disk } from './disk.ts';
import { codeOf, missing, unless } from './errors.ts';
import { syncDirectory } from './sync-directory.ts';

/** Other processes may remove a directory while it is made. More often than this it is not their doing. */
const triesMax = 10;

/**
 * Makes the directory, and those above it, unless it exists. Step by step: the platform's own recursion reports `ENOENT` for
 * whatever it is not allowed to make.
 * @throws LeadershipError `misconfigured-backend` where something else is in the way, `unreachable` where nothing can be made in
 *   a directory that exists; system errors otherwise
 */
export async function makeDirectory(path: string): Promise<void> {
  let failure: unknown;
  for (let tries = 0; tries < triesMax; tries += 1) {
    failure = await attempt(path);
    if (failure === undefined) return;
    if (codeOf(failure) === 'ENOENT') await makeDirectory(dirname(path));
  }
  // A directory that was removed while it is mounted or open still exists by its name, and so does /proc.
  const advice = 'nothing can be made in the directory above it: that one was removed or replaced, or is none of a disk';
  throw new LeadershipError('unreachable', `${path}: ${advice}. Make it again, or correct the directory`, { cause: failure });
}

/** Returns why the directory is still missing and worth another try; `undefined` once it exists. */
async function attempt(path: string): Promise<unknown> {
  try {
    await disk.mkdir(path);
    // Without its name in the directory above, nothing in it outlives a power loss.
    await syncDirectory(dirname(path));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return (await isTaken(path, error)) ? undefined : error;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    return error;
  }
  return undefined;
}

/** Returns whether the directory exists; `false` where whatever had its name is gone. Throws where something else has it. */
async function isTaken(path: string, cause: unknown): Promise<boolean> {
  const found = (await unless(missing, disk.stat(path))) ?? (await unless(missing, disk.lstat(path)));
  if (found === undefined || found.isDirectory) return found !== undefined;
  throw new LeadershipError('misconfigured-backend', `${path}: it is no directory, nor a link to one: correct the directory`, { cause });
}
