// Reads the small files by which members communicate, whenever one of them changes and at
// intervals. Each is a row for core. File times and wall clocks are not involved.
import { join } from 'node:path';
import { after, notifier } from '@leadership/core/internal/engine';
import { type MemberRow, type MemberRows, memberRowsIn } from '@leadership/core/internal/lease';
import { lifeOf } from '../disk/directory-life.ts';
import { disk } from '../disk/disk.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { readText } from '../disk/read-text.ts';
import { fileError, forbidden, missing, unless } from '../errors.ts';
import type { Store } from '../store.ts';

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

/** Returns the files of one directory as rows; the caller adds how a member writes its own. */
export function memberFiles(
  store: Store,
  options: MemberFileOptions,
): Omit<MemberRows, 'nameOf' | 'own'> {
  const { host, clock, thresholdMs } = store;
  return {
    host,
    clock,
    thresholdMs,
    admitted: () => Promise.resolve(),
    sweeps: () => store.isCandidate,
    follow: (signal) => follow(store, options, signal),
    async remove({ name, text }) {
      if ((await readText(join(options.directory, name))) !== text) return;
      await removeMemberFile(store, options.directory, name);
    },
  };
}

/** Yields all files after each read, until the signal aborts. */
async function* follow(
  store: Store,
  options: MemberFileOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly MemberRow[]> {
  const { directory, periodMs, unwatchedMs, changes } = options;
  const woken = notifier(store.clock);
  const watched = store.watches(directory, (_name, event) => {
    if (changes || event === 'rename') woken.notify();
  });
  signal.addEventListener('abort', woken.notify, { once: true });
  try {
    let seen: readonly MemberRow[] = [];
    let life: string | undefined;
    while (!signal.aborted) {
      const now = await store.busy.track(made(store, directory));
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
export async function removeMemberFile(
  { busy }: Pick<Store, 'busy'>,
  directory: string,
  name: string,
): Promise<void> {
  await busy.track(unless([...missing, ...forbidden], disk.unlink(join(directory, name))));
}

/**
 * Returns the identity of the directory. A candidate creates a missing one; without permission it
 * counts as empty, as it does for an observer.
 */
async function made({ isCandidate }: Store, directory: string): Promise<string | undefined> {
  const life = await lifeOf(directory);
  if (life !== undefined || !isCandidate) return life;
  await unless([...missing, ...forbidden], makeDirectory(directory));
  return lifeOf(directory);
}

async function read(
  { clock }: Store,
  directory: string,
  seen: readonly MemberRow[],
): Promise<readonly MemberRow[]> {
  const names = (await unless(missing, disk.readdir(directory))) ?? [];
  const rows = await Promise.all(
    names.map(async (name) => [name, await readText(join(directory, name))] as const),
  );
  const found = rows.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  return memberRowsIn(found, seen, clock.now());
}
