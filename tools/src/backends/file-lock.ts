// A lock among the processes of this host, so that only one of them downloads or builds what all
// need.
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Pause between two attempts to acquire the lock, in milliseconds. */
const periodMs = 100;

/**
 * A lock of this age is abandoned, even if a process with the holder's id runs: no work takes this
 * long. Milliseconds.
 */
const oldMs = 900_000;

/**
 * Runs `work` while no other process of this host holds the same lock file. The lock of a process
 * that has ended does not block, and one of a process that has no time does not expire: those of
 * `proper-lockfile` depend on a timer.
 */
export async function withFileLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  while (!(await taken(lock))) await pause(periodMs);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/**
 * Tries to acquire the lock by linking a file to its name. This fails if the name exists, and the
 * file always contains the holder's process id.
 */
async function taken(lock: string): Promise<boolean> {
  const mine = `${lock}.${randomUUID()}`;
  await writeFile(mine, String(process.pid));
  try {
    await link(mine, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Rename the lock instead of deleting it: of two processes that find it abandoned, only one can
    // rename it.
    if (await isAbandoned(lock)) await rename(lock, mine).catch(() => undefined);
    return false;
  } finally {
    await rm(mine, { force: true });
  }
}

/**
 * Returns whether the holder of the lock has ended. In a rare race, two processes may both acquire
 * an abandoned lock, so `work` must be correct without the lock too.
 */
async function isAbandoned(lock: string): Promise<boolean> {
  try {
    if (Date.now() - (await stat(lock)).mtimeMs > oldMs) return true;
    process.kill(Number(await readFile(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
