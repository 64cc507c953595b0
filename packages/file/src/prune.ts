import { rm } from 'node:fs/promises';
import { type VersionName, versionPath } from './layout.ts';
import { list } from './locate.ts';

/** So many versions are kept at least: a reader that is this far behind finds out, and lists anew. */
const versionsKept = 8;

/** Whether it is time to prune: not at every version, so that one listing serves several. */
export function isPruneDue({ number }: VersionName): boolean {
  return number % versionsKept === 0;
}

/** Removes what this version has left far behind, strictly ascending: a version goes only once all before it have. */
export async function prune(directory: string, { number, mark }: VersionName): Promise<void> {
  const numbers = (await list(directory))?.lives.get(mark) ?? [];
  for (const old of numbers) {
    if (old > number - versionsKept) return;
    await rm(versionPath(directory, { number: old, mark }), { recursive: true, force: true });
  }
}
