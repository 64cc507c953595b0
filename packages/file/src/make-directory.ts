import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LeadershipError } from '@leadership/core';
import { codeOf, missing, unless } from './errors.ts';

/**
 * Makes the directory, and those above it, unless it is there. Step by step: the platform's own recursion says `ENOENT` of
 * whatever it is not allowed to make.
 * @throws LeadershipError `misconfigured-backend` where something else is in the way; system errors otherwise
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'EEXIST') return taken(path, cause);
    if (code !== 'ENOENT' || dirname(path) === path) throw cause;
    await makeDirectory(dirname(path));
    await makeDirectory(path);
  }
}

/** Something has that name: a directory, or what is in the way of one. Or it had: others remove and make it, too. */
async function taken(path: string, cause: unknown): Promise<void> {
  const found = (await unless(missing, stat(path))) ?? (await unless(missing, lstat(path)));
  if (found === undefined) return makeDirectory(path);
  if (found.isDirectory()) return;
  throw new LeadershipError('misconfigured-backend', `${path}: it is no directory, nor a link to one: correct the directory`, { cause });
}
