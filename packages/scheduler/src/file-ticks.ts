// Keeps claimed ticks in a directory, for the members of one host.
import { mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TickStore } from './tick-store.ts';

/** How many claims are kept for people who look. Only the latest one matters to the store. */
const kept = 16;

/**
 * Creates a store for the members on one host. Each claim is an empty file `NAME/TIME`, created
 * exclusively, so that two members cannot both create it.
 *
 * @param directory - created if it is missing; must be on a local file system
 */
export function fileTicks(directory: string): TickStore {
  const claimed = async (name: string): Promise<readonly number[]> => {
    const files = await readdir(join(directory, encodeURIComponent(name))).catch(emptyIfMissing);
    return files
      .map(Number)
      .filter(Number.isSafeInteger)
      .sort((a, b) => b - a);
  };
  return {
    latest: async (name) => (await claimed(name))[0],
    async claim(name, at) {
      const folder = join(directory, encodeURIComponent(name));
      await mkdir(folder, { recursive: true });
      if (((await claimed(name))[0] ?? Number.NEGATIVE_INFINITY) >= at) return false;
      if (!(await create(join(folder, String(at))))) return false;
      // This process may have been paused before it created the file, and the file of the same
      // tick may have been removed as an old one since. Then a later claim exists.
      const [latest = at, ...older] = await claimed(name);
      if (latest > at) return false;
      const old = older.slice(kept - 1).map((time) => unlink(join(folder, String(time))));
      await Promise.allSettled(old);
      return true;
    },
  };
}

/** Creates an empty file that survives a power loss. Resolves with `false` if it exists. */
async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.sync().finally(() => file.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
