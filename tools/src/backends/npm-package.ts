// npm packages that only one check needs, downloaded once per user into the cache. As dev
// dependencies, they would slow down every install, and several versions of one package would
// conflict over the command name in node_modules/.bin.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from './cache-directory.ts';
import { madeOnce } from './made-once.ts';

/**
 * Resolves with the directory of an npm package in a separate installation. Downloads it if it is
 * not in the cache, and reports that on stderr. Rejects with npm's error if the download fails.
 */
export async function npmPackage(name: string, version: string): Promise<string> {
  const folder = join(cacheDirectory(), `npm-${name.replaceAll('/', '-')}-${version}`);
  await madeOnce(folder, (aside) => install(`${name}@${version}`, aside));
  return join(folder, 'node_modules', name);
}

async function install(wanted: string, into: string): Promise<void> {
  process.stderr.write(`leadership: downloading ${wanted} once with npm …\n`);
  try {
    await mkdir(into);
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', ['install', '--prefix', into, ...quiet, wanted], {
      cwd: into,
    });
  } catch (cause) {
    throw new Error(
      `${wanted} cannot be downloaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}
