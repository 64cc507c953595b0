// Finds the program `etcd` for tests.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '../backends/cache-directory.ts';

/** The oldest release line that the adapter supports. Debian's package is older. */
const oldest = [3, 5] as const;

/**
 * Resolves with the program `etcd` of the path, or else the one that `.ci/install-servers` builds
 * into the cache; `undefined` if neither is there and new enough.
 */
export async function etcdProgram(): Promise<string | undefined> {
  for (const program of ['etcd', join(cacheDirectory(), 'etcd-3.5', 'etcd')]) {
    const version = await promisify(execFile)(program, ['--version']).then(
      ({ stdout }) => /Version: (\d+)\.(\d+)/.exec(stdout),
      () => null,
    );
    const [, major, minor] = (version ?? []).map(Number);
    if (major === undefined || minor === undefined) continue;
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return program;
  }
  return undefined;
}
