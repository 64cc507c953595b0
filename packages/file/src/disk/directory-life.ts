// Recognises that a directory was deleted and created again, by its inode.
import { missing, unless } from '../errors.ts';
import { disk } from './disk.ts';
import type { FileFacts } from './disk-calls.ts';

/**
 * Returns an identity of a directory that usually differs from a later directory with the same
 * name. Some file systems reuse inodes at once.
 */
export async function inodeOf(directory: string): Promise<string | undefined> {
  const found = await unless(missing, disk.stat(directory));
  return found && inode(found);
}

/**
 * Returns an identity of a directory that differs from a later directory with the same name. If the
 * file system does not record the creation time, it changes with each change of the directory. Use
 * it only where a false difference costs little.
 */
export async function lifeOf(directory: string): Promise<string | undefined> {
  const found = await unless(missing, disk.stat(directory));
  return found && `${inode(found)}/${found.birthtimeMs}`;
}

/** Returns the age of a file by the wall clock. Use it only to add caution. Milliseconds. */
export async function ageOf(path: string): Promise<number | undefined> {
  const found = await unless(missing, disk.stat(path));
  return found && Date.now() - found.mtimeMs;
}

function inode({ dev, ino }: FileFacts): string {
  return `${dev}/${ino}`;
}
