// npm packages that only one check needs, downloaded once per user into the cache. As dev
// dependencies, they would slow down every install, and several versions of one package would
// conflict over the command name in node_modules/.bin.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from './cache-directory.ts';
import { withFileLock } from './file-lock.ts';

/**
 * Resolves with the directory of an npm package in a separate installation. Downloads it if it is
 * not in the cache, and reports that on stderr. Rejects with npm's error if the download fails.
 */
export async function npmPackage(name: string, version: string): Promise<string> {
  const folder = join(cacheDirectory(), `npm-${name.replaceAll('/', '-')}-${version}`);
  const installed = join(folder, 'node_modules', name);
  if (await exists(installed)) return installed;
  await mkdir(cacheDirectory(), { recursive: true });
  await withFileLock(`${folder}.lock`, async () => {
    if (!(await exists(installed))) await install(`${name}@${version}`, folder);
  });
  return installed;
}

async function install(wanted: string, folder: string): Promise<void> {
  const aside = `${folder}.${randomUUID()}`;
  process.stderr.write(`leadership: downloading ${wanted} once with npm …\n`);
  try {
    await mkdir(aside);
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', ['install', '--prefix', aside, ...quiet, wanted], {
      cwd: aside,
    });
    await rename(aside, folder);
  } catch (cause) {
    throw new Error(
      `${wanted} cannot be downloaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function exists(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => undefined))?.isDirectory() ?? false;
}
