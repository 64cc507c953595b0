// Finds the installed programs of Postgres, and the user that may run them.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { directoryWith } from '../backends/directory-with.ts';
import type { HostUser } from '../backends/local-server.ts';

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

/**
 * Resolves with the user that runs the server: `postgres` rejects root. `undefined` stands for the
 * user of this process.
 */
export async function serverUser(): Promise<HostUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string): Promise<number> =>
    Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}
