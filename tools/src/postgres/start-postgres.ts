// Gives a test a Postgres: one that the environment names, a container, or a local one.
import { byContainers, hasServer, serverInContainer } from '../backends/by-containers.ts';
import { type DatabaseServer, givenDatabase } from '../backends/given-server.ts';
import { isOffered } from '../backends/is-offered.ts';
import { localPostgres, login } from './local-postgres.ts';
import { programDirectory } from './programs.ts';

/** The variable that names a running server, as in `postgres://user:password@host:5432/database`. */
const variable = 'POSTGRES_URL';
/** The parts that such a URL may leave out. */
const usual = { port: 5432, database: 'postgres' };

/**
 * Starts a server, or uses one: the server that `POSTGRES_URL` names, else a container if
 * `BACKENDS_BY=containers` is set, else a process of this host.
 */
export async function startPostgres(): Promise<DatabaseServer> {
  return givenDatabase(variable, usual) ?? (byContainers() ? containerPostgres() : localPostgres());
}

/**
 * Resolves with whether {@link startPostgres} can start a server. If it cannot, one line on stderr
 * states what is missing; if `REQUIRE_BACKENDS` contains `postgres`, the promise rejects instead.
 */
export async function hasPostgres(): Promise<boolean> {
  return hasServer('postgres', givenDatabase(variable, usual) !== undefined, hasLocalPostgres);
}

/** Resolves with whether this host can start servers that tests may kill. */
export async function hasLocalPostgres(): Promise<boolean> {
  const found = await programDirectory();
  const missing = `install the package postgresql, or set ${variable}=postgres://USER:PASSWORD@HOST:PORT/DATABASE`;
  return isOffered('postgres', found === undefined ? missing : undefined);
}

async function containerPostgres(): Promise<DatabaseServer> {
  const server = await serverInContainer({
    variable: 'POSTGRES_IMAGE',
    image: 'postgres:17-alpine',
    port: 5432,
    environment: {
      POSTGRES_USER: login.user,
      POSTGRES_PASSWORD: login.password,
      POSTGRES_DB: login.database,
    },
    // It restarts once after it has created the database.
    ready: /ready to accept connections/,
    times: 2,
  });
  return { ...server, ...login };
}
