import { mkdir } from 'node:fs/promises';
import { LeadershipError } from '@leadership/core';
import { codeOf } from './errors.ts';

/**
 * Makes the directory, and those above it, unless it is there.
 * @throws LeadershipError `misconfigured-backend` where a file is in the way; system errors otherwise
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
    throw new LeadershipError('misconfigured-backend', `${path}: it is a file, not a directory: correct the directory`, { cause });
  }
}
