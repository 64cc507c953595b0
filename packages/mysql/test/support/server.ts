import {
  type DatabaseServer,
  type LocalMysql,
  localMysql,
  startMysql,
} from '@leadership/tools/mysql';
import { createPool, type Pool } from 'mysql2/promise';

/** How to connect to the server. */
export interface TestConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** A server for tests, and connections of an administrator. */
export interface TestServer<Server extends DatabaseServer = DatabaseServer>
  extends AsyncDisposable {
  readonly server: Server;
  /** How to connect as the administrator. */
  readonly config: TestConfig;
  readonly admin: Pool;
}

/** Starts a server, or uses the one that the environment names. */
export async function testServer(): Promise<TestServer> {
  return administered(await startMysql());
}

/** Starts a server that the test may stop and restart. */
export async function ownServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer<LocalMysql>> {
  return administered(await localMysql({ settings }));
}

/** Returns a test server over a running server. */
export function administered<Server extends DatabaseServer>(server: Server): TestServer<Server> {
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database };
  const admin = createPool({ ...config, connectionLimit: 4, multipleStatements: true });
  return {
    server,
    config,
    admin,
    async [Symbol.asyncDispose]() {
      await admin.end();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Sends a statement, and resolves with its rows. */
export async function rowsOf(
  admin: Pick<Pool, 'query'>,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const [rows] = await admin.query(sql, [...values]);
  return rows as readonly Readonly<Record<string, unknown>>[];
}
