// Servers that the environment names: tests use them, and never end them.

/** How to reach a server. */
interface GivenServer extends AsyncDisposable {
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

/** Returns the server in the URL of that variable; `undefined` if it is not set. */
export function givenServer(variable: string, portUsual: number): GivenServer | undefined {
  const text = process.env[variable];
  return text ? serverIn(new URL(text), variable, portUsual) : undefined;
}

/** Returns the database in the URL of that variable, with the parts that it lacks. */
export function givenDatabase(
  variable: string,
  usual: Pick<DatabaseAddress, 'port' | 'database'>,
): (GivenServer & DatabaseAddress) | undefined {
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

function serverIn({ hostname, port }: URL, variable: string, portUsual: number): GivenServer {
  return {
    name: `the server of ${variable}`,
    host: hostname,
    port: Number(port || portUsual),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
