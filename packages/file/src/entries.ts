// Small files that members leave for one another, read again whenever one of them stirs, and now and then by themselves.
// How old one is, is judged by how long it has read the same on the reader's own clock: file times and wall clocks decide
// nothing.
import { join } from 'node:path';
import { after, type Instant } from '@leadership/core/backend';
import { bell } from '@leadership/core/ledger';
import { disk } from './disk.ts';
import { fileError, forbidden, missing, unless } from './errors.ts';
import { lifeOf } from './life-of.ts';
import { makeDirectory } from './make-directory.ts';
import { readText } from './read-text.ts';
import type { Store } from './store.ts';

/** A file as this member has read it. */
export interface Entry {
  readonly name: string;
  readonly text: string;
  /** Since when it has read like that. */
  readonly since: Instant;
  /** When it was read last: the same instant as `since` where it is new. */
  readonly readAt: Instant;
}

/** Which directory is followed, and how. */
export interface EntryOptions {
  readonly directory: string;
  /** How often it is read although nothing stirred. Milliseconds. */
  readonly periodMs: number;
  /** How often where nothing can be watched. Milliseconds. */
  readonly unwatchedMs: number;
  /** Whether files that are there already are told again when only their content changed. */
  readonly changes: boolean;
}

/** Yields all there is, after every look, until the signal aborts. */
export async function* followEntries(store: Store, options: EntryOptions, signal: AbortSignal): AsyncGenerator<readonly Entry[]> {
  const { directory, periodMs, unwatchedMs, changes } = options;
  const woken = bell(store.clock);
  const watched = store.watches(directory, (_name, event) => {
    if (changes || event === 'rename') woken.ring();
  });
  signal.addEventListener('abort', woken.ring, { once: true });
  try {
    let seen: readonly Entry[] = [];
    let life: string | undefined;
    while (!signal.aborted) {
      const now = await store.busy.with(made(directory));
      if (now === life) watched.retry();
      else watched.renew();
      life = now;
      seen = await store.busy.with(read(store, directory, seen));
      yield seen;
      await woken.until(after(store.clock.now(), watched.isOpen() ? periodMs : unwatchedMs));
    }
  } catch (error) {
    throw fileError(error, directory);
  } finally {
    signal.removeEventListener('abort', woken.ring);
    watched[Symbol.dispose]();
  }
}

/** Removes an entry that is no one's any more. Who has no right to leaves that to others. */
export async function removeEntry(directory: string, name: string): Promise<void> {
  await unless([...missing, ...forbidden], disk.unlink(join(directory, name)));
}

/** The life of the directory, which is made where it is missing. An observer may have no right to: there is nothing in it then. */
async function made(directory: string): Promise<string | undefined> {
  const life = await lifeOf(directory);
  if (life !== undefined) return life;
  await unless([...missing, ...forbidden], makeDirectory(directory));
  return lifeOf(directory);
}

async function read(store: Store, directory: string, seen: readonly Entry[]): Promise<readonly Entry[]> {
  const names = (await unless(missing, disk.readdir(directory))) ?? [];
  const entries = await Promise.all(names.map((name) => readEntry(store, directory, name, seen)));
  return entries.filter((entry) => entry !== undefined);
}

async function readEntry({ clock }: Store, directory: string, name: string, seen: readonly Entry[]): Promise<Entry | undefined> {
  const text = await readText(join(directory, name));
  const readAt = clock.now();
  if (text === undefined) return undefined;
  const before = seen.find((entry) => entry.name === name && entry.text === text);
  return { name, text, since: before?.since ?? readAt, readAt };
}
