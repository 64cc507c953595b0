import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'leadership-conformance-';

/** No check takes a hundredth of it: what is as old was left by a run that was killed. Milliseconds. */
const leftoverMs = 24 * 3_600_000;

/** A directory that is gone with the check that asked for it. Removes what killed runs left, as nobody else will. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  await sweep(tmpdir());
  const path = await mkdtemp(join(tmpdir(), prefix));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) if (name.startsWith(prefix)) await removeLeftover(join(directory, name));
}

/** Somebody else's, or gone meanwhile: then it is left alone. */
async function removeLeftover(path: string): Promise<void> {
  const changed = await stat(path).catch(() => undefined);
  if (changed !== undefined && Date.now() - changed.mtimeMs > leftoverMs) await rm(path, { recursive: true }).catch(() => undefined);
}
