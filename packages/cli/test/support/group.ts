import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// The backend of these groups: its URL has no other reference to the package.
import type {} from '@leadership/file';

/** A temporary directory with a group in it. Disposing removes both. */
export interface Group extends AsyncDisposable {
  readonly directory: string;
  readonly url: string;
}

/** Creates a directory for a group with one partition and this T. */
export async function temporaryGroup(thresholdMs: number): Promise<Group> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-cli-'));
  return {
    directory,
    url: `file:${join(directory, 'leases')}?group=demo&partitions=1&thresholdMs=${thresholdMs}`,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}
