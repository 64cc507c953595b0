import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that is gone after the test. */
export interface TempDirectory extends AsyncDisposable {
  readonly path: string;
}

export async function tempDirectory(): Promise<TempDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'leadership-file-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Removes a directory that others may make anew at any moment: moved away first, so that they do not fill what is being removed. */
export async function removeAtOnce(path: string): Promise<void> {
  const aside = `${path}.${performance.now()}`;
  await rename(path, aside);
  await rm(aside, { recursive: true });
}
