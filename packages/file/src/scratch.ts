import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { disk } from './disk.ts';
import { missing, unless } from './errors.ts';
import { makeDirectory } from './make-directory.ts';

/** What lies in scratch for so long was left by a crash. By file times: removing too early costs its writer a retry. Milliseconds. */
const leftoverMs = 3_600_000;

/** Files that are written aside and then moved or linked into place, so that nobody sees half of one. */
export interface Scratch {
  /** A new name for a file or directory in here. Nothing is there yet. */
  name(): string;
  /** A new file of that text; on the disk for good before this resolves, where `durable`. */
  put(text: string, durable: boolean): Promise<string>;
  /** Removes what was made here, if it is there still. */
  drop(path: string): Promise<void>;
  /** Removes what crashed members left. */
  sweep(): Promise<void>;
}

/** The scratch directory at `directory`. Made when it is needed, and again when it has gone. */
export function scratchAt(directory: string): Scratch {
  const life = randomUUID();
  let sequence = 0;
  const name = (): string => {
    sequence += 1;
    return join(directory, `${life}.${sequence}`);
  };
  return {
    name,
    put(text, durable) {
      const path = name();
      const write = (): Promise<string> => disk.write(path, text, { flag: 'wx', durable }).then(() => path);
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
