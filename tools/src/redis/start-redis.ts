// Gives a test a Redis: one that the environment names, a container, or a local one.
import { byContainers, hasServer, serverInContainer } from '../backends/by-containers.ts';
import { givenServer, type NamedServer } from '../backends/given-server.ts';
import { isOffered } from '../backends/is-offered.ts';
import { localRedis, serverProgram } from './local-redis.ts';

/** The variable that names a running server without a password, as in `redis://host:6379`. */
const variable = 'REDIS_URL';

/**
 * Starts a server, or uses one: the server that `REDIS_URL` names, else a container if
 * `BACKENDS_BY=containers` is set, else a process of this host.
 */
export async function startRedis(): Promise<NamedServer> {
  return givenServer(variable, 6379) ?? (byContainers() ? containerRedis() : localRedis());
}

/**
 * Resolves with whether {@link startRedis} can start a server. If it cannot, one line on stderr
 * states what is missing; if `REQUIRE_BACKENDS` contains `redis`, the promise rejects instead.
 */
export async function hasRedis(): Promise<boolean> {
  return hasServer('redis', givenServer(variable, 6379) !== undefined, hasLocalRedis);
}

/** Resolves with whether this host can start servers that tests may kill. */
export async function hasLocalRedis(): Promise<boolean> {
  const missing = `install the package redis-server or valkey-server, or set ${variable}=redis://HOST:PORT`;
  return isOffered('redis', (await serverProgram()) === undefined ? missing : undefined);
}

function containerRedis(): Promise<NamedServer> {
  return serverInContainer({
    variable: 'REDIS_IMAGE',
    image: 'redis:7-alpine',
    port: 6379,
    ready: /Ready to accept connections/,
  });
}
