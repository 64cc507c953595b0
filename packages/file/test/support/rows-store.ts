import { cp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rows } from '@leadership/core/adapter';
import type { OpenRows, RowsStore } from '@leadership/testkit';
import { recordingHost } from '@leadership/testkit/adapter';
import { layoutOf } from '../../src/layout.ts';
import { fileRows } from '../../src/rows/rows.ts';
import { contentOf, parseVersion, type Version, versionOf } from '../../src/rows/version-name.ts';
import { tempDirectory } from './temp-directory.ts';

/** The versions of a row, in ascending order. */
export async function versionsIn(directory: string, row: string): Promise<readonly Version[]> {
  return (await readdir(directory))
    .flatMap((name) => parseVersion(name) ?? [])
    .filter((version) => version.row === row)
    .sort((a, b) => a.number - b.number);
}

/** Adds a version to a row, as a person can; `null` removes the row's files. */
export async function putRow(directory: string, row: string, text: string | null): Promise<void> {
  const versions = await versionsIn(directory, row);
  if (text === null) for (const { file } of versions) await rm(join(directory, file));
  else {
    const { file } = versionOf(row, (versions.at(-1)?.number ?? 0) + 1);
    await writeFile(join(directory, file), contentOf(text), { flag: 'wx' });
  }
}

/** A directory with the rows of groups. */
export async function openRowsStore(): Promise<RowsStore> {
  const home = await tempDirectory();
  const store = join(home.path, 'store');
  let others = 0;
  const openIn =
    (directory: string): OpenRows =>
    (group): Rows => {
      // The limit of an exchange is a third of T, and a test may share its disk with many others.
      const limits = { thresholdMs: 30_000, thresholdMsMax: 30_000 };
      return fileRows({ directory, group, ...limits }, recordingHost('m'));
    };
  return {
    name: 'files',
    openRows: openIn(store),
    elsewhere() {
      others += 1;
      return openIn(join(home.path, `other-${others}`));
    },
    cannot: {
      'open-transactions': 'a change is one link',
      'locked-rows': 'a file has no locks that a link waits for',
      'lost-replies': 'the calls of a disk are not given up',
      'promoted-replica': 'a directory of one host has no replica',
      'lagging-reads': 'a directory of one host has no replica',
      nul: 'a text with NUL removes a row',
    },
    notifies: true,
    put: (group, name, text) => putRow(layoutOf(store, group).rows, name, text),
    async restore(during) {
      const copy = join(home.path, 'copy');
      await cp(store, copy, { recursive: true, preserveTimestamps: true });
      await during();
      await rename(store, join(home.path, 'lost'));
      await rename(copy, store);
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
