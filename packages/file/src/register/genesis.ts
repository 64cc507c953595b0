// Creates the directory of a register, which keeps one partition's lease.
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { disk } from '../disk/disk.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import type { Scratch } from '../disk/scratch.ts';
import { syncDirectory } from '../disk/sync-directory.ts';
import { missing, unless } from '../errors.ts';
import { versionPath } from './layout.ts';

/**
 * Creates a register atomically: a directory with the genesis is renamed into place. The rename
 * fails if a non-empty directory exists there. Thus no member sees a register without a genesis,
 * and a member that was paused here cannot add a second genesis to a register in use. The genesis
 * has a unique mark, which distinguishes a recreated register from the old one.
 */
export async function makeRegister(directory: string, scratch: Scratch): Promise<void> {
  const aside = scratch.name();
  const mark = randomUUID().slice(-12);
  await makeDirectory(aside);
  try {
    // No sync: the first term syncs the register, and until then a loss does no harm.
    await disk.write(versionPath(aside, { number: 0, mark }), JSON.stringify({ genesis: mark }), {
      flag: 'wx',
      durable: false,
    });
    await moveUnlessTaken(aside, directory);
  } finally {
    await disk.rm(aside);
  }
}

/**
 * Renames unless the target is taken. Systems report that with different codes, also used for other
 * errors, so check the target.
 */
async function moveUnlessTaken(aside: string, directory: string): Promise<void> {
  try {
    await disk.rename(aside, directory);
  } catch (error) {
    const there = await unless(missing, disk.stat(directory));
    if (!there?.isDirectory) throw error;
    return;
  }
  await syncDirectory(dirname(directory));
}
