// The store of soak tests on the file backend.
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SoakEnvironment } from './environment.ts';

/** Returns an environment on the file backend, in a new temporary directory. */
export async function fileEnvironment(): Promise<SoakEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-soak-'));
  return {
    name: 'file',
    memberOptions: () => ({ url: `file:${encodeURI(directory)}?group=soak` }),
    memberFaults: {},
    environmentFaults: { 'state deleted': () => deleteState(directory) },
    environmentFaultEvery: 40,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/**
 * Deletes the group's state in one step: moves it away first, because members create it again
 * during a removal.
 */
async function deleteState(directory: string): Promise<void> {
  const aside = join(directory, `deleted-${process.hrtime.bigint()}`);
  await rename(join(directory, 'soak'), aside);
  await rm(aside, { recursive: true, force: true });
}
