// Asks the holder of a lease to hand it over, through files.
import { join } from 'node:path';
import {
  type OwnRow,
  type RowLeaseRequests,
  rowLeaseRequests,
} from '@leadership/core/internal/lease';
import { disk } from '../disk/disk.ts';
import { fileNameOf } from '../disk/file-name.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { fileError, missing, unless } from '../errors.ts';
import type { Store } from '../store.ts';
import { type MemberFileOptions, memberFiles, removeMemberFile } from './member-files.ts';

/** The interval at which leftover files are searched. In T. */
const looksThresholds = 0.5;

/**
 * Creates the lease requests (L7) in the files of the group. The watch of the leaseholder reports
 * them within a millisecond.
 */
export function fileLeaseRequests(store: Store): RowLeaseRequests {
  const { layout, thresholdMs, pollMs, busy } = store;
  const options: MemberFileOptions = {
    directory: layout.leaseRequests,
    periodMs: looksThresholds * thresholdMs,
    unwatchedMs: pollMs,
    changes: true,
  };
  return rowLeaseRequests({
    ...memberFiles(store, options),
    nameOf: (incarnation, partition) => `${partition}.${fileNameOf(incarnation)}.json`,
    own: (name): OwnRow => ({
      put: (text, _isAwaited, signal) => busy.track(put(store, name, text, signal)),
      remove: () => removeMemberFile(store, layout.leaseRequests, name),
    }),
  });
}

/** Replaces the file of a request at once, so that no reader sees a part of it. */
async function put(
  { layout: { leaseRequests: directory }, scratch }: Store,
  name: string,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const aside = await scratch.put(text, false);
    if (!signal.aborted) await moveInto(directory, aside, name).finally(() => scratch.drop(aside));
    else await scratch.drop(aside);
  } catch (error) {
    throw fileError(error, directory);
  }
}

async function moveInto(directory: string, path: string, name: string): Promise<void> {
  const move = (): Promise<boolean> => disk.rename(path, join(directory, name)).then(() => true);
  if (await unless(missing, move())) return;
  await makeDirectory(directory);
  await move();
}
