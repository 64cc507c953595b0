// Who asks for a lease (L7) leaves a file; the holder's watch tells of it within a millisecond. The asker repeats it every
// T/4 and removes it when it has stopped asking; what a crashed one left is removed by whoever has read it unchanged for 2T.
import { join } from 'node:path';
import type { Instant } from '@leadership/core/backend';
import type { Want, Wants } from '@leadership/core/ledger';
import { disk } from './disk.ts';
import { type Entry, followEntries, removeEntry } from './entries.ts';
import { fileError, missing, unless } from './errors.ts';
import { fileNameOf } from './file-name.ts';
import { makeDirectory } from './make-directory.ts';
import { parseNote } from './parse-note.ts';
import type { Store } from './store.ts';

/** Wants, and the own ones' removal. */
export interface FileWants extends Wants {
  /** Removes what this member has asked for. */
  close(): Promise<void>;
}

/** How often is looked for what is left over. In T. */
const looksThresholds = 0.5;
/** A want that its asker has not repeated for so long is not answered any more (L7). In T. */
const ownThresholds = 0.5;
/** A want that nobody repeated for so long is nobody's. In T. */
const leftoverThresholds = 2;

/** Wants as files in the store. */
export function fileWants(store: Store): FileWants {
  const directory = store.layout.wants;
  const own = new Map<string, Instant>();
  return {
    async ask(want, signal) {
      await store.busy.with(ask(store, own, want, signal)).catch((error: unknown) => {
        throw fileError(error, directory);
      });
    },
    async *asked(signal) {
      const following = { directory, periodMs: looksThresholds * store.thresholdMs, unwatchedMs: store.pollMs, changes: true };
      for await (const entries of followEntries(store, following, signal)) {
        yield* entries.filter((entry) => !own.has(entry.name)).flatMap(toWant);
        await store.busy.with(sweep(store, own, entries));
      }
    },
    async close() {
      await Promise.all([...own.keys()].map((name) => removeEntry(directory, name)));
    },
  };
}

async function ask({ layout, scratch, clock }: Store, own: Map<string, Instant>, want: Want, signal: AbortSignal): Promise<void> {
  const name = `${want.partition}.${fileNameOf(want.incarnation)}.json`;
  const aside = await scratch.put(JSON.stringify(want), false);
  try {
    if (signal.aborted) return;
    own.set(name, clock.now());
    await moveInto(layout.wants, aside, name);
  } finally {
    await scratch.drop(aside);
  }
}

async function moveInto(directory: string, path: string, name: string): Promise<void> {
  const move = (): Promise<boolean> => disk.rename(path, join(directory, name)).then(() => true);
  if (await unless(missing, move())) return;
  await makeDirectory(directory);
  await move();
}

/** The want in a file that has changed since it was last read. */
function toWant({ text, since, readAt }: Entry): readonly (Want & { readonly receivedAt: Instant })[] {
  const { partition, id, incarnation, member, thresholdMs } = (since === readAt && parseNote(text)) || {};
  const isWant = Number.isSafeInteger(partition) && [id, incarnation, member].every((word) => typeof word === 'string');
  return isWant && Number.isFinite(thresholdMs)
    ? [{ partition, id, incarnation, member, thresholdMs, receivedAt: readAt } as Want & { readonly receivedAt: Instant }]
    : [];
}

async function sweep({ layout, thresholdMs }: Store, own: Map<string, Instant>, entries: readonly Entry[]): Promise<void> {
  for (const { name, since, readAt } of entries) {
    const askedAt = own.get(name);
    const isOver =
      askedAt === undefined ? readAt - since > leftoverThresholds * thresholdMs : readAt - askedAt > ownThresholds * thresholdMs;
    if (!isOver) continue;
    own.delete(name);
    await removeEntry(layout.wants, name);
  }
}
