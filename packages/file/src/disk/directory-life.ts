// Recognises that a file was deleted and created again, or copied, by its inode.
import { missing, unless } from '../errors.ts';
import { disk } from './disk.ts';

/**
 * Returns an identity of a file that differs from a later file with the same name. Some file systems
 * reuse inodes at once. If the file system does not record the creation time, the identity of a
 * directory changes with each of its changes, and that of a file that nobody writes does not.
 */
export async function lifeOf(path: string): Promise<string | undefined> {
  const found = await unless(missing, disk.stat(path));
  return found && `${found.dev}/${found.ino}/${found.birthtimeMs}`;
}

/** Returns the age of a file by the wall clock. Use it only to add caution. Milliseconds. */
export async function ageOf(path: string): Promise<number | undefined> {
  const found = await unless(missing, disk.stat(path));
  return found && Date.now() - found.mtimeMs;
}
