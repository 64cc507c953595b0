// Copies and restores the data of a broker: tests restore an older copy as an operator restores a
// backup.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Copies a directory into a new directory within `shelf`. Resolves with its path. */
export async function copyAside(folder: string, shelf: string): Promise<string> {
  await mkdir(shelf, { recursive: true });
  const copy = await mkdtemp(join(shelf, 'copy-'));
  await cp(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Replaces the contents of a directory by a copy. */
export async function restore(folder: string, copy: string): Promise<void> {
  await rm(folder, { recursive: true });
  await cp(copy, folder, { recursive: true, preserveTimestamps: true });
}
