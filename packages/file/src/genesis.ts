import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { disk } from './disk.ts';
import { missing, unless } from './errors.ts';
import { versionPath } from './layout.ts';
import { makeDirectory } from './make-directory.ts';
import type { Scratch } from './scratch.ts';
import { syncDirectory } from './sync-directory.ts';

/**
 * Makes a register, all or nothing: a directory with the genesis in it is renamed into place, which fails where there is
 * one already, unless that is empty. So no register is ever seen without a genesis, and a member that was paused here
 * cannot put a second one into a register that lives. Its mark is like no other: by it a register made anew is told from
 * the one before.
 */
export async function makeRegister(directory: string, scratch: Scratch): Promise<void> {
  const aside = scratch.name();
  const mark = randomUUID().slice(-12);
  await makeDirectory(aside);
  try {
    // Not synced: the first term syncs the register, and before that there is nothing in it to lose.
    await disk.write(versionPath(aside, { number: 0, mark }), JSON.stringify({ genesis: mark }), { flag: 'wx', durable: false });
    await moveUnlessTaken(aside, directory);
  } finally {
    await disk.rm(aside);
  }
}

/** What systems say to renaming onto a directory that is not empty differs, and is also said of other failures: so look. */
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
