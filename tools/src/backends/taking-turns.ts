import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** How often a process that waits for its turn looks. Milliseconds. */
const periodMs = 100;

/** A lock of this age is nobody's, even where some process has the id of its holder now: nothing done here takes so long. Milliseconds. */
const oldMs = 900_000;

/** Runs `work` while no other process of this host does under the same lock file. One that was killed meanwhile holds nobody up. */
export async function takingTurns<T>(lock: string, work: () => Promise<T>): Promise<T> {
  while (!(await taken(lock))) await pause(periodMs);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Linking into place fails where the name exists, and the name never exists without its holder's process id. */
async function taken(lock: string): Promise<boolean> {
  const mine = `${lock}.${randomUUID()}`;
  await writeFile(mine, String(process.pid));
  try {
    await link(mine, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Moved away instead of deleted: of two that find it abandoned, one moves it and the other finds nothing to move.
    if (await isAbandoned(lock)) await rename(lock, mine).catch(() => undefined);
    return false;
  } finally {
    await rm(mine, { force: true });
  }
}

/** Two that look at once may both come in: what is done in turn has to be right without the turns, and only costs more. */
async function isAbandoned(lock: string): Promise<boolean> {
  try {
    if (Date.now() - (await stat(lock)).mtimeMs > oldMs) return true;
    process.kill(Number(await readFile(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
