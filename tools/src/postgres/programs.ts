// Finds the installed programs of Postgres.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { directoryWith } from '../backends/directory-with.ts';

/** Where Debian's packages install the programs of each major version. */
const debianDirectory = '/usr/lib/postgresql';

/** The programs that the tests use. */
const programs = ['postgres', 'initdb', 'pg_isready', 'pg_basebackup'];

/**
 * Resolves with the directory of the newest installed `postgres`, which Debian keeps outside the
 * path; `undefined` if there is none.
 */
export async function programDirectory(): Promise<string | undefined> {
  const versions = await readdir(debianDirectory).catch(() => []);
  const debian = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debianDirectory, version, 'bin'));
  return directoryWith(programs, debian);
}
