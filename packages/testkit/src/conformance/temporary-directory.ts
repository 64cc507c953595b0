// A directory for one check.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'leadership-conformance-';

/** The age in milliseconds above which a directory must come from a killed run. */
const leftoverMs = 24 * 3_600_000;

/**
 * Creates a temporary directory and removes it on disposal. Also removes the directories that
 * killed runs left behind.
 */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  await sweep(tmpdir());
  const path = await mkdtemp(join(tmpdir(), prefix));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(prefix)) await removeLeftover(join(directory, name));
}

/**
 * Removes an old directory. Ignores directories of other users and directories that no longer
 * exist.
 */
async function removeLeftover(path: string): Promise<void> {
  const changed = await stat(path).catch(() => undefined);
  if (changed !== undefined && Date.now() - changed.mtimeMs > leftoverMs)
    await rm(path, { recursive: true }).catch(() => undefined);
}
