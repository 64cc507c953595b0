import { disk } from './disk.ts';
import { missing, unless } from './errors.ts';
import { type VersionName, versionPath } from './layout.ts';
import { list } from './locate.ts';
import { syncDirectory } from './sync-directory.ts';

/** So many versions are kept at least: a reader that is this far behind finds out, and lists anew. */
const versionsKept = 8;

/** Whether it is time to prune: not at every version, so that one listing serves several. */
export function isPruneDue({ number }: VersionName): boolean {
  return number % versionsKept === 0;
}

/**
 * Removes what this version has left far behind, strictly ascending: a version goes only once all before it have. What stays is
 * made durable first: renewals are not (decision 0032), and after a power loss the versions that stay must tell the token.
 */
export async function prune(directory: string, { number, mark }: VersionName): Promise<void> {
  const numbers = (await list(directory))?.lives.get(mark) ?? [];
  const old = numbers.filter((one) => one <= number - versionsKept);
  if (old.length === 0) return;
  for (const kept of [number - 1, number]) await unless(missing, disk.sync(versionPath(directory, { number: kept, mark })));
  await syncDirectory(directory);
  for (const one of old) await disk.rm(versionPath(directory, { number: one, mark }));
}
