import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a temporary directory. Disposing removes it. */
export async function scratchDirectory(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'leadership-example-'));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
