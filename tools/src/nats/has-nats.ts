// Finds the program `nats-server` for tests.
import { isOffered } from '../backends/is-offered.ts';
import { recentProgram } from '../backends/recent-program.ts';

/** The oldest release line on which the tests run. */
const oldest = [2, 12] as const;

/** Resolves with the program `nats-server`; `undefined` if none is there that is new enough. */
export function natsProgram(): Promise<string | undefined> {
  const version = /v(\d+)\.(\d+)/;
  return recentProgram({ name: 'nats-server', folder: 'nats-2.15', version, oldest });
}

/**
 * Resolves with whether this host can start servers. If it cannot, one line on stderr states what is
 * missing; if `REQUIRE_BACKENDS` contains `nats`, the promise rejects instead.
 */
export async function hasNats(): Promise<boolean> {
  const missing = `run .ci/install-servers, which builds nats-server with Go, or install nats-server ${oldest.join('.')} or newer`;
  return isOffered('nats', (await natsProgram()) === undefined ? missing : undefined);
}
