// Checks that the file system has hard links, which a claim of a lease needs.
import { LeadershipError } from '@leadership/core';
import { codeOf } from '../errors.ts';
import { disk } from './disk.ts';
import type { Scratch } from './scratch.ts';

/** The codes with which `link` fails if the file system has no hard links. */
const without: readonly string[] = [
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EXDEV',
];

/**
 * Creates a hard link and removes it again.
 * @throws LeadershipError `misconfigured-backend` if the file system has no hard links, because the
 *   compare-and-set depends on them
 */
export async function probeLinks(
  scratch: Scratch,
  directory: string,
  make: typeof disk.link = disk.link,
): Promise<void> {
  const path = await scratch.put('');
  const second = scratch.name();
  try {
    await make(path, second);
  } catch (cause) {
    if (!without.includes(codeOf(cause) ?? '')) throw cause;
    const advice =
      'the file system does not support hard links, which the compare-and-set needs: use a directory on a local disk that supports them';
    throw new LeadershipError('misconfigured-backend', `${directory}: ${advice}`, { cause });
  } finally {
    await scratch.drop(path);
    await scratch.drop(second);
  }
}
