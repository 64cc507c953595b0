// Gives a test a server of MySQL or MariaDB: one that the environment names, a container, or a local one.
import { byContainers, hasServer, serverInContainer } from '../backends/by-containers.ts';
import { type DatabaseServer, givenDatabase } from '../backends/given-server.ts';
import { isOffered } from '../backends/is-offered.ts';
import { localMysql, login, mariadbPrograms } from './local-mysql.ts';

/** The variable that names a running server, as in `mysql://user:password@host:3306/database`. */
const variable = 'MYSQL_URL';
/** The parts that such a URL may leave out. */
const usual = { port: 3306, database: login.database };

/**
 * Starts a server, or uses one: the server that `MYSQL_URL` names, else a container with MySQL if
 * `BACKENDS_BY=containers` is set, else a MariaDB of this host.
 */
export async function startMysql(): Promise<DatabaseServer> {
  return givenDatabase(variable, usual) ?? (byContainers() ? containerMysql() : localMysql());
}

/**
 * Resolves with whether {@link startMysql} can start a server. If it cannot, one line on stderr
 * states what is missing; if `REQUIRE_BACKENDS` contains `mysql`, the promise rejects instead.
 */
export async function hasMysql(): Promise<boolean> {
  return hasServer('mysql', givenDatabase(variable, usual) !== undefined, hasLocalMysql);
}

/** Resolves with whether this host can start servers that tests may kill. */
export async function hasLocalMysql(): Promise<boolean> {
  const found = await mariadbPrograms();
  const missing = `install the package mariadb-server, or set ${variable}=mysql://USER:PASSWORD@HOST:PORT/DATABASE`;
  return isOffered('mysql', found === undefined ? missing : undefined);
}

async function containerMysql(): Promise<DatabaseServer> {
  const server = await serverInContainer({
    variable: 'MYSQL_IMAGE',
    image: 'mysql:8.4',
    port: 3306,
    environment: {
      MYSQL_ROOT_PASSWORD: login.password,
      MYSQL_USER: login.user,
      MYSQL_PASSWORD: login.password,
      MYSQL_DATABASE: login.database,
    },
    // It restarts once after it has created the database, and announces two protocols each time.
    ready: /ready for connections.* port: 3306/,
  });
  return { ...server, ...login };
}
