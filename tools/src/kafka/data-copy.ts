import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Copies a folder aside, into a new folder within `shelf`. */
export async function copyAside(folder: string, shelf: string): Promise<string> {
  await mkdir(shelf, { recursive: true });
  const copy = await mkdtemp(join(shelf, 'copy-'));
  await cp(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Makes a folder what its copy is: what came since is gone. */
export async function restore(folder: string, copy: string): Promise<void> {
  await rm(folder, { recursive: true });
  await cp(copy, folder, { recursive: true, preserveTimestamps: true });
}
