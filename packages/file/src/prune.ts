import { rm } from 'node:fs/promises';
import { versionPath } from './layout.ts';
import { list } from './locate.ts';

/** So many versions are kept at least: a reader that is this far behind finds out, and lists anew. */
const versionsKept = 8;

/** Whether it is time to prune: not at every version, so that one listing serves several. */
export function isPruneDue(number: number): boolean {
  return number % versionsKept === 0;
}

/** Removes what version `number` has left far behind, strictly ascending: a version goes only once all before it have. */
export async function prune(directory: string, number: number): Promise<void> {
  const { numbers = [] } = (await list(directory)) ?? {};
  for (const old of numbers) {
    if (old > number - versionsKept) return;
    await rm(versionPath(directory, old), { recursive: true, force: true });
  }
}
