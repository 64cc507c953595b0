import { type DatabaseServer, localPostgres, startPostgres } from '@leadership/tools/postgres';
import pg from 'pg';

/** A server for tests, and connections of an administrator. */
export interface TestServer<Server extends DatabaseServer = DatabaseServer>
  extends AsyncDisposable {
  readonly server: Server;
  /** How to connect as the administrator. */
  readonly config: TestConfig;
  readonly admin: pg.Pool;
}

/** How to connect to the server. */
export interface TestConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Starts a server, or uses the one that the environment names. */
export async function testServer(): Promise<TestServer> {
  return administered(await startPostgres());
}

/** Starts a server that the test may stop and restart. */
export async function ownServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer<Awaited<ReturnType<typeof localPostgres>>>> {
  return administered(await localPostgres({ settings }));
}

/** Returns a test server over a running server. */
export function administered<Server extends DatabaseServer>(server: Server): TestServer<Server> {
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database };
  const admin = new pg.Pool({ ...config, max: 4 });
  // A test may stop the server.
  admin.on('error', () => undefined);
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
