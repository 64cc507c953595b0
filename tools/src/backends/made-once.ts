import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withFileLock } from './file-lock.ts';

/**
 * Makes a file or directory once per user, and resolves once it is there. Only one process at a
 * time calls `make`, with the path to make. The result is then renamed, so that
 * what has the final name is always complete.
 */
export async function madeOnce(
  path: string,
  make: (aside: string) => Promise<void>,
): Promise<void> {
  if (await exists(path)) return;
  await mkdir(dirname(path), { recursive: true });
  await withFileLock(`${path}.lock`, async () => {
    if (await exists(path)) return;
    const aside = `${path}.${randomUUID()}`;
    try {
      await make(aside);
      await rename(aside, path);
    } catch (error) {
      // In a rare race, two processes hold the lock. The other one may have been faster.
      if (!(await exists(path))) throw error;
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  });
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
