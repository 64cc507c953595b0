// Reads the small files by which members communicate, whenever one of them changes and at
// intervals. The age of a file is how long it has read the same on the reader's own monotonic
// clock. File times and wall clocks are not involved.
import { join } from 'node:path';
import { after, type Instant } from '@leadership/core/adapter';
import { notifier } from '@leadership/core/internal';
import { lifeOf } from '../disk/directory-life.ts';
import { disk } from '../disk/disk.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { readText } from '../disk/read-text.ts';
import { fileError, forbidden, missing, unless } from '../errors.ts';
import type { Store } from '../store.ts';

/** A file of a member, as this member has read it. */
export interface MemberFile {
  readonly name: string;
  readonly text: string;
  /** When this text was first read. */
  readonly since: Instant;
  /** When it was last read. Equal to `since` if the text is new. */
  readonly readAt: Instant;
}

/** Which directory to follow, and how. */
export interface MemberFileOptions {
  readonly directory: string;
  /** The interval between two reads without a notification. Milliseconds. */
  readonly periodMs: number;
  /** The same interval if the directory cannot be watched. Milliseconds. */
  readonly unwatchedMs: number;
  /** Whether to read at once when only the content of an existing file changed. */
  readonly changes: boolean;
}

/** Yields all files after each read, until the signal aborts. */
export async function* followMemberFiles(
  store: Store,
  options: MemberFileOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly MemberFile[]> {
  const { directory, periodMs, unwatchedMs, changes } = options;
  const woken = notifier(store.clock);
  const watched = store.watches(directory, (_name, event) => {
    if (changes || event === 'rename') woken.notify();
  });
  signal.addEventListener('abort', woken.notify, { once: true });
  try {
    let seen: readonly MemberFile[] = [];
    let life: string | undefined;
    while (!signal.aborted) {
      const now = await store.busy.track(made(directory));
      if (now === life) watched.retry();
      else watched.renew();
      life = now;
      seen = await store.busy.track(read(store, directory, seen));
      yield seen;
      await woken.until(after(store.clock.now(), watched.isOpen() ? periodMs : unwatchedMs));
    }
  } catch (error) {
    throw fileError(error, directory);
  } finally {
    signal.removeEventListener('abort', woken.notify);
    watched[Symbol.dispose]();
  }
}

/** Removes a file that is no longer needed. A member without permission leaves that to others. */
export async function removeMemberFile(directory: string, name: string): Promise<void> {
  await unless([...missing, ...forbidden], disk.unlink(join(directory, name)));
}

/**
 * Returns the identity of the directory, and creates a missing one. An observer may lack
 * permission; the directory then counts as empty.
 */
async function made(directory: string): Promise<string | undefined> {
  const life = await lifeOf(directory);
  if (life !== undefined) return life;
  await unless([...missing, ...forbidden], makeDirectory(directory));
  return lifeOf(directory);
}

async function read(
  store: Store,
  directory: string,
  seen: readonly MemberFile[],
): Promise<readonly MemberFile[]> {
  const names = (await unless(missing, disk.readdir(directory))) ?? [];
  const files = await Promise.all(
    names.map((name) => readMemberFile(store, directory, name, seen)),
  );
  return files.filter((file) => file !== undefined);
}

async function readMemberFile(
  { clock }: Store,
  directory: string,
  name: string,
  seen: readonly MemberFile[],
): Promise<MemberFile | undefined> {
  const text = await readText(join(directory, name));
  const readAt = clock.now();
  if (text === undefined) return undefined;
  const before = seen.find((file) => file.name === name && file.text === text);
  return { name, text, since: before?.since ?? readAt, readAt };
}
