import { LeadershipError } from '@leadership/core';
import { disk } from './disk.ts';
import { codeOf } from './errors.ts';
import type { Scratch } from './scratch.ts';

/** What making a hard link fails with where the file system has none. */
const without: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EXDEV'];

/**
 * Makes a hard link and removes it again.
 * @throws LeadershipError `misconfigured-backend` where there are none: nothing here would compare then
 */
export async function probeLinks(scratch: Scratch, directory: string, make: typeof disk.link = disk.link): Promise<void> {
  const path = await scratch.put('', false);
  const second = scratch.name();
  try {
    await make(path, second);
  } catch (cause) {
    if (!without.includes(codeOf(cause) ?? '')) throw cause;
    const advice = 'the file system has no hard links, and nothing else compares: use a directory on a local disk that has';
    throw new LeadershipError('misconfigured-backend', `${directory}: ${advice}`, { cause });
  } finally {
    await scratch.drop(path);
    await scratch.drop(second);
  }
}
