// Writes files aside before they get their names.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { missing, unless } from '../errors.ts';
import { disk } from './disk.ts';
import { makeDirectory } from './make-directory.ts';

/**
 * A file in scratch that is older than this was left by a crash. The age is by file times: if a
 * file is removed too early, its writer retries. Milliseconds.
 */
const leftoverMs = 3_600_000;

/**
 * Temporary files that are later renamed or linked into place, so that no reader sees a partial
 * file.
 */
export interface Scratch {
  /** Returns a new name for a temporary file or directory. Creates nothing. */
  name(): string;
  /** Creates a file with this text, which may be lost with the power. */
  put(text: string): Promise<string>;
  /** Removes a temporary file if it still exists. */
  drop(path: string): Promise<void>;
  /** Removes the files of crashed members. */
  sweep(): Promise<void>;
}

/**
 * Opens the scratch directory at `directory`. It is created on first use, and again if it was
 * removed.
 */
export function scratchAt(directory: string): Scratch {
  const life = randomUUID();
  let sequence = 0;
  const name = (): string => {
    sequence += 1;
    return join(directory, `${life}.${sequence}`);
  };
  return {
    name,
    put(text) {
      const path = name();
      const write = (): Promise<string> =>
        disk.write(path, text, { flag: 'wx', durable: false }).then(() => path);
      return write().catch(async (error: NodeJS.ErrnoException) => {
        await unless(missing, disk.unlink(path)).catch(() => undefined);
        if (error.code !== 'ENOENT') throw error;
        await makeDirectory(directory);
        return write();
      });
    },
    drop: (path) => unless(missing, disk.unlink(path)),
    sweep: () => sweep(directory),
  };
}

async function sweep(directory: string): Promise<void> {
  for (const name of (await unless(missing, disk.readdir(directory))) ?? []) {
    const path = join(directory, name);
    const found = await unless(missing, disk.stat(path));
    if (found !== undefined && Date.now() - found.mtimeMs > leftoverMs) await disk.rm(path);
  }
}
