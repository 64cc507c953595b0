import { disk } from './disk.ts';
import type { FileFacts } from './disk-calls.ts';
import { missing, unless } from './errors.ts';

/** Tells a directory from another one that has its name later, most of the time: some file systems give inodes out again at once. */
export async function inodeOf(directory: string): Promise<string | undefined> {
  const found = await unless(missing, disk.stat(directory));
  return found && inode(found);
}

/**
 * Tells a directory from another one that has its name later. Where the system does not know when it was made it says when
 * it last changed: then it may seem another although it is the same, so this is for what costs little.
 */
export async function lifeOf(directory: string): Promise<string | undefined> {
  const found = await unless(missing, disk.stat(directory));
  return found && `${inode(found)}/${found.birthtimeMs}`;
}

/** Returns how long ago the file was written, by the wall clock: for what only ever adds caution. Milliseconds. */
export async function ageOf(path: string): Promise<number | undefined> {
  const found = await unless(missing, disk.stat(path));
  return found && Date.now() - found.mtimeMs;
}

function inode({ dev, ino }: FileFacts): string {
  return `${dev}/${ino}`;
}
