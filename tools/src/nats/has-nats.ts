// Finds the program `nats-server` for tests.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '../backends/cache-directory.ts';
import { isOffered } from '../backends/is-offered.ts';

/** The oldest release line on which the tests run. Debian's package is older. */
const oldest = [2, 12] as const;

/**
 * Resolves with the program `nats-server` of the path, or else the one that `.ci/install-servers` builds
 * into the cache; `undefined` if neither is there and new enough.
 */
export async function natsProgram(): Promise<string | undefined> {
  for (const program of ['nats-server', join(cacheDirectory(), 'nats-2.15', 'nats-server')]) {
    const version = await promisify(execFile)(program, ['--version']).then(
      ({ stdout }) => /v(\d+)\.(\d+)/.exec(stdout),
      () => null,
    );
    const [, major, minor] = (version ?? []).map(Number);
    if (major === undefined || minor === undefined) continue;
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return program;
  }
  return undefined;
}

/**
 * Resolves with whether this host can start servers. If it cannot, one line on stderr states what is
 * missing; if `REQUIRE_BACKENDS` contains `nats`, the promise rejects instead.
 */
export async function hasNats(): Promise<boolean> {
  const missing = `run .ci/install-servers, which builds nats-server with Go, or install nats-server ${oldest.join('.')} or newer`;
  return isOffered('nats', (await natsProgram()) === undefined ? missing : undefined);
}
