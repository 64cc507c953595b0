import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '@leadership/testkit';
import { processCluster } from '@leadership/testkit/faults';
import { layoutOf } from '../src/layout.ts';
import { membersWithFaults } from './support/members-with-faults.ts';
import { putGarbage, putOtherRelease, rollBack } from './support/strange-records.ts';
import { removeAtOnce } from './support/temp-directory.ts';

/** Creates a cluster of the file backend. Its directory is removed with it. */
export async function fileCluster(): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-file-'));
  return processCluster({
    name: 'file',
    // A renewal takes a few milliseconds, or tens of milliseconds on a busy disk.
    thresholdMs: 1000,
    url: (group) => `file:${encodeURI(directory)}?group=${encodeURIComponent(group)}`,
    ...membersWithFaults(directory),
    announcesClaims: true,
    keepsPartitionsMax: true,
    contents: (group) => contentsOf(directory, layoutOf(directory, group).group),
    rollBack: (group, partition) => rollBack(layoutOf(directory, group), partition),
    deleteState: (group) => removeAtOnce(layoutOf(directory, group).group),
    putGarbage: (group, partition) => putGarbage(layoutOf(directory, group), partition),
    putOtherRelease: (group, ...record) => putOtherRelease(layoutOf(directory, group), ...record),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  });
}

/** Lists the files and directories of a group, also those beside its own directory. */
async function contentsOf(directory: string, group: string): Promise<readonly string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const own = found.filter(({ parentPath, name }) => join(parentPath, name).startsWith(group));
  return Promise.all(
    own.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path}: ${await readFile(path, 'utf8')}` : path;
    }),
  );
}
