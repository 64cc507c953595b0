import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ground } from './ground.ts';

/** A directory of its own. */
export async function fileGround(): Promise<Ground> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-soak-'));
  return {
    name: 'file',
    seat: () => ({ url: `file:${encodeURI(directory)}?group=soak` }),
    deeds: {},
    blows: { 'state deleted': () => deleteState(directory) },
    blowEvery: 40,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Deletes everything the group has, at once: moved away first, as its members make it anew while it is removed. */
async function deleteState(directory: string): Promise<void> {
  const aside = join(directory, `deleted-${process.hrtime.bigint()}`);
  await rename(join(directory, 'soak'), aside);
  await rm(aside, { recursive: true, force: true });
}
