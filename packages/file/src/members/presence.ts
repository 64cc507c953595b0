// Announces that this member lives, through a file that it rewrites.
import { join } from 'node:path';
import { sleep } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import {
  type MemberRow,
  type MemberRows,
  type OwnRow,
  type Presence,
  rowPresence,
} from '@leadership/core/internal/lease';
import { disk } from '../disk/disk.ts';
import { fileNameOf } from '../disk/file-name.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { fileError, missing, unless } from '../errors.ts';
import type { Store } from '../store.ts';
import { memberFiles, removeMemberFile } from './member-files.ts';

/** Creates the presence of members in the files of the group. */
export function filePresence(store: Store): Presence {
  const { layout, thresholdMs, busy } = store;
  const directory = layout.presence;
  // A reader need not know of each beat at once, only of members that join and leave.
  const files = memberFiles(store, {
    directory,
    periodMs: thresholdMs,
    unwatchedMs: thresholdMs,
    changes: false,
  });
  const presence = rowPresence({
    ...files,
    follow: (signal) => followAlways(store, files, signal),
    nameOf: (incarnation) => `${fileNameOf(incarnation)}.json`,
    own: (name) => ownFile(store, name),
  });
  return { ...presence, announce: (signal) => busy.track(presence.announce(signal)) };
}

/** Follows the files, also after the directory could not be read. */
async function* followAlways(
  { host, clock, thresholdMs, layout }: Store,
  { follow }: Pick<MemberRows, 'follow'>,
  signal: AbortSignal,
): AsyncGenerator<readonly MemberRow[]> {
  const health = new HealthReporter(host);
  while (!signal.aborted) {
    try {
      for await (const files of follow(signal)) {
        health.mend('reading');
        yield files;
      }
    } catch (error) {
      health.raise('reading', fileError(error, layout.presence));
      await sleep(clock, thresholdMs / 2, signal);
    }
  }
  health.mendAll();
}

/**
 * Returns the file of this member's beats. After a failed beat the placement treats this member as
 * gone, and the reported problem says why.
 */
function ownFile(store: Store, name: string): OwnRow {
  const { host, layout } = store;
  const health = new HealthReporter(host);
  return {
    async put(text) {
      try {
        await beat(store, name, text);
        health.mend('writing');
      } catch (error) {
        health.raise('writing', fileError(error, layout.presence));
      }
    },
    remove() {
      health.mendAll();
      return removeMemberFile(store, layout.presence, name);
    },
  };
}

/**
 * Overwrites the last beat in place. All beats have the same length, so that no reader sees a torn
 * one.
 */
async function beat({ layout, scratch }: Store, name: string, text: string): Promise<void> {
  const path = join(layout.presence, name);
  const write = (): Promise<boolean> =>
    disk.write(path, text, { flag: 'r+', durable: false }).then(() => true);
  if (await unless(missing, write())) return;
  await makeDirectory(layout.presence);
  const aside = await scratch.put(text, false);
  await disk.rename(aside, path).finally(() => scratch.drop(aside));
}
