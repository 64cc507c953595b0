import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that is removed after the test. */
export interface TempDirectory extends AsyncDisposable {
  readonly path: string;
}

export async function tempDirectory(): Promise<TempDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'leadership-file-'));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/**
 * Removes a directory that members may recreate at any time. Moves it away first, so that they
 * cannot write into it meanwhile.
 */
export async function removeAtOnce(path: string): Promise<void> {
  const aside = `${path}.${performance.now()}`;
  await rename(path, aside);
  await rm(aside, { recursive: true });
}
