// Servers that the environment names: tests use them, and never end them.

/** A server, and how to reach it. Disposing ends it, unless the environment names it. */
export interface NamedServer extends AsyncDisposable {
  /** For messages. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** How to reach a database, and who connects. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** A server of a database. */
export type DatabaseServer = NamedServer & DatabaseAddress;

/** Returns the server in the URL of that variable; `undefined` if it is not set. */
export function givenServer(variable: string, portUsual: number): NamedServer | undefined {
  const text = process.env[variable];
  return text ? serverIn(new URL(text), variable, portUsual) : undefined;
}

/** Returns the database in the URL of that variable, with the parts that it lacks. */
export function givenDatabase(
  variable: string,
  usual: Pick<DatabaseAddress, 'port' | 'database'>,
): DatabaseServer | undefined {
  const text = process.env[variable];
  if (!text) return undefined;
  const url = new URL(text);
  return {
    ...serverIn(url, variable, usual.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1) || usual.database,
  };
}

function serverIn({ hostname, port }: URL, variable: string, portUsual: number): NamedServer {
  return {
    name: `the server of ${variable}`,
    host: hostname,
    port: Number(port || portUsual),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
