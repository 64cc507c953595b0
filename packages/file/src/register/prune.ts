// Removes old versions of a register, which keeps the lease of one partition.
import { disk } from '../disk/disk.ts';
import { syncDirectory } from '../disk/sync-directory.ts';
import { missing, unless } from '../errors.ts';
import { type VersionName, versionPath } from './layout.ts';
import { list } from './locate.ts';

/**
 * The number of versions that are kept. A reader that is further behind notices that and lists
 * again.
 */
const versionsKept = 8;

/** Whether to prune after this version. Not after each, so that one listing serves several. */
export function isPruneDue({ number }: VersionName): boolean {
  return number % versionsKept === 0;
}

/**
 * Removes old versions in ascending order, so that a version is only removed after all before it.
 * The versions that stay are synced first: renewals are not (decision 0032), and after a power loss
 * the token must be readable from the versions that stay.
 */
export async function prune(directory: string, { number, mark }: VersionName): Promise<void> {
  const numbers = (await list(directory))?.lives.get(mark) ?? [];
  const old = numbers.filter((one) => one <= number - versionsKept);
  if (old.length === 0) return;
  for (const kept of [number - 1, number])
    await unless(missing, disk.sync(versionPath(directory, { number: kept, mark })));
  await syncDirectory(directory);
  for (const one of old) await disk.rm(versionPath(directory, { number: one, mark }));
}
