// Keeps the state of a member in its state directory.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';
import { formatStoredState, parseStoredState, type StoredState } from './stored-state.ts';

/** The store of one member's image. Both methods reject with a `LeadershipError`. */
export interface StateStore {
  /** Reads the image; `undefined` if none was ever written. */
  read(): Promise<StoredState | undefined>;
  /** Replaces the image atomically. Resolves once it is durable. */
  write(image: StoredState): Promise<void>;
}

/**
 * Returns a store in that directory, one file per member. The directory is created if it is
 * missing.
 */
export function stateStoreIn(directory: string, group: string, member: string): StateStore {
  const path = join(
    directory,
    `nerio-${createHash('sha256')
      .update(JSON.stringify([group, member]))
      .digest('hex')
      .slice(0, 32)}.json`,
  );
  let isEntryDurable = false;
  return {
    async read() {
      await withPath(directory, () => clear(directory, path), ['ENOENT']);
      const text = await withPath(path, () => readFile(path, 'utf8'), ['ENOENT']);
      if (text === undefined) return undefined;
      const image = parseStoredState(text);
      if (image?.group === group && image.member === member) return image;
      const advice = `holds no state of member "${member}" of group "${group}"; restore it, or remove it and start the member with stateLost`;
      throw new LeadershipError('misconfigured-backend', `${path} ${advice}`);
    },
    async write(image) {
      await withPath(path, async () => {
        await replace(directory, path, formatStoredState(image), isEntryDurable);
        isEntryDurable = true;
      }, []);
    },
  };
}

/** Removes the temporary files of a process that was killed during a write. */
async function clear(directory: string, path: string): Promise<void> {
  const left = (await readdir(directory))
    .map((name) => join(directory, name))
    .filter((one) => one.startsWith(`${path}.`));
  await Promise.all(left.map((one) => rm(one, { force: true })));
}

/**
 * Writes a temporary file and moves it into place. Makes the directory's entry durable, and the
 * entry of the directory itself.
 */
async function replace(
  directory: string,
  path: string,
  text: string,
  isEntryDurable: boolean,
): Promise<void> {
  const made = await mkdir(directory, { recursive: true });
  if (made !== undefined || !isEntryDurable) await syncEntries(directory, made ?? directory);
  const aside = `${path}.${randomUUID()}`;
  try {
    await through(aside, 'wx', (file) => file.writeFile(text));
    await rename(aside, path);
  } finally {
    await rm(aside, { force: true });
  }
  await through(directory, 'r', () => Promise.resolve());
}

/**
 * Makes the entries of a directory durable, and those of its parents up to `made`. An earlier
 * process may have created the directory and died before this step, so each process does it once,
 * whether or not the directory existed.
 */
async function syncEntries(directory: string, made: string): Promise<void> {
  const top = dirname(made);
  let parent = directory;
  do {
    parent = dirname(parent);
    // A directory that this process may not read is one in which it has created nothing.
    await through(parent, 'r', () => Promise.resolve()).catch((error: unknown) => {
      if (
        !(
          error instanceof Error &&
          'code' in error &&
          (error.code === 'EACCES' || error.code === 'EPERM')
        )
      )
        throw error;
    });
  } while (parent !== top && parent !== dirname(parent));
}

type OpenFile = Awaited<ReturnType<typeof open>>;

async function through(
  path: string,
  flags: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags);
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Returns the result of a call of the file system, or `undefined` if it fails with a code in `fine`.
 * Converts any other error to a `LeadershipError`.
 */
async function withPath<T>(
  path: string,
  call: () => Promise<T>,
  fine: readonly string[],
): Promise<T | undefined> {
  try {
    return await call();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (fine.includes(code)) return undefined;
    throw new LeadershipError(
      meanings[code] ?? 'unreachable',
      `${path} cannot be read or written: ${String(cause)}`,
      { cause },
    );
  }
}

const meanings: Readonly<Record<string, LeadershipErrorCode>> = {
  EACCES: 'unauthorized',
  EPERM: 'unauthorized',
  EROFS: 'unauthorized',
  ENOTDIR: 'misconfigured-backend',
  EISDIR: 'misconfigured-backend',
  ENAMETOOLONG: 'misconfigured-backend',
};
