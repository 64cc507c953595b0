// Connections of this member's own, by the package `pg`. They are not those of the application, so
// that a busy pool cannot delay a lease.
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  aborted,
  type Clock,
  loadPackage,
  misconfigured,
  openingMsOf,
  raceSignal,
  Shared,
  type Supplied,
  sleep,
  supplied,
  waitFor,
  withTimeout,
} from '@leadership/core/adapter';
import type { Connections, ResultRow } from './connections.ts';
import { isAnswer } from './errors.ts';
import type { PostgresOptions, PostgresPool } from './options.ts';

/** The part of a client of `pg` that is used. */
interface PgClient {
  /** The id of the server's process, as the server announced it at the start. */
  readonly processID?: number | null;
  query(text: string, values?: readonly unknown[]): Promise<{ rows: readonly ResultRow[] }>;
  query(statement: PgStatement): Promise<{ rows: readonly ResultRow[] }>;
  on(event: string, listener: (event: { readonly payload?: string }) => void): unknown;
  release(destroy?: boolean): void;
}

/** A statement. With a name, the server keeps its plan for the connection. */
interface PgStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The part of a pool of `pg` that is used. */
interface PgPool {
  /** The options of the next connection. */
  readonly options: { ssl?: unknown };
  readonly idleCount: number;
  connect(): Promise<PgClient>;
  on(event: string, listener: (client: PgClient) => void): unknown;
  end(): Promise<void>;
}

type PgPoolClass = new (options: object) => PgPool;

/** How the connections of a member are used. */
export interface PgConnectionsOptions
  extends Required<Pick<PostgresOptions, 'connection' | 'group' | 'thresholdMs'>> {
  readonly pool?: PostgresPool | undefined;
  readonly clock: Clock;
}

/**
 * The greatest number of connections: one that listens, and some to renew many leases at once. Most
 * members use two or three. `pg` closes the others after ten seconds without use.
 */
const connectionsMax = 4;

/** Creates the connections of a member. Connects on demand. */
export function pgConnections(options: PgConnectionsOptions): Connections {
  const { thresholdMs, clock } = options;
  const sockets = new Set<Duplex>();
  const sessions = new WeakMap<PgClient, boolean>();
  let opened: Promise<PgPool> | undefined;
  const certificates = loadedCertificates(options);
  const connect = async (signal: AbortSignal): Promise<{ client: PgClient; isDirect: boolean }> => {
    opened ??= openPool(options, sockets);
    const pool = await opened;
    if (pool.idleCount === 0) await certificates.renew(pool, signal);
    const client = await pool.connect();
    const isDirect = sessions.get(client) ?? (await beginSession(client, thresholdMs));
    sessions.set(client, isDirect);
    return { client, isDirect };
  };
  const using = async <T>(
    signal: AbortSignal,
    use: (client: PgClient, isDirect: boolean) => Promise<T>,
  ): Promise<T> => {
    signal.throwIfAborted();
    const connecting = connect(signal);
    await raceSignal(connecting, signal).catch(() => undefined);
    // Keep the connection for the next request, or a slow server would never serve one.
    if (signal.aborted)
      connecting.then(
        ({ client }) => client.release(),
        () => undefined,
      );
    signal.throwIfAborted();
    const { client, isDirect } = await connecting;
    return borrowed(client, signal, () => use(client, isDirect));
  };
  return {
    query: (text, values, signal, name) =>
      using(signal, async (client, isDirect) => {
        // A pooler may send the next request over another connection, which has no such plan.
        const kept = isDirect && name !== undefined;
        return (await client.query({ text, values, ...(kept && { name }) })).rows;
      }),
    listen: (channel, listener, signal) =>
      using(signal, async (client, isDirect) => {
        if (!isDirect)
          throw misconfigured(
            'a connection pooler such as PgBouncer is between this member and the server: connect to the server itself, or set notifications to false',
          );
        const ended = new Promise<never>((_, reject) =>
          client.on('end', () => reject(new Error('the connection has ended'))),
        );
        client.on('notification', ({ payload = '' }) => listener.notified(payload));
        await Promise.race([client.query(`listen ${channel}`), ended]);
        listener.listening();
        await Promise.race([ended, aborted(signal)]);
      }),
    async close() {
      certificates.close();
      const pool = await opened?.catch(() => undefined);
      // A server that cannot be reached does not close its side.
      const over = new AbortController();
      await Promise.race([pool?.end(), sleep(clock, thresholdMs / 3, over.signal)]);
      over.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns the client to its pool after use, or closes its connection if it cannot be used again. */
async function borrowed<T>(
  client: PgClient,
  signal: AbortSignal,
  use: () => Promise<T>,
): Promise<T> {
  let isReleased = false;
  const release = (destroy: boolean): void => {
    if (!isReleased) client.release(destroy);
    isReleased = true;
  };
  // The statement may hang with its connection. The next request needs another one.
  const abort = (): void => release(true);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const result = await use();
    release(false);
    return result;
  } catch (error) {
    release(!isAnswer(error));
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Prepares a new connection: no statement outlives the interest in it, and the server does not close
 * a connection that only listens. Returns whether the connection goes to the server itself. A pooler
 * announces another process id; it hands its connections to other applications as well, so their
 * settings stay as they are.
 */
async function beginSession(client: PgClient, thresholdMs: number): Promise<boolean> {
  const [lockMs, statementMs] = [thresholdMs / 3, openingMsOf(thresholdMs)];
  const set = (name: string, value: string): string =>
    `case when pg_backend_pid() = $1 then set_config('${name}', ${value}, false) end`;
  const limits = [set('lock_timeout', '$2'), set('statement_timeout', '$3')];
  const sql = `select (pg_backend_pid() = $1::int)::text as direct, ${limits.join()}, ${set('idle_session_timeout', `'0'`)}`;
  const values = [lockMs, statementMs].map((ms) => `${Math.ceil(ms)}ms`);
  try {
    const { rows } = await client.query(sql, [client.processID ?? 0, ...values]);
    return rows[0]?.['direct'] === 'true';
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function openPool(options: PgConnectionsOptions, sockets: Set<Duplex>): Promise<PgPool> {
  const { pool, group, thresholdMs } = options;
  const Pool = pool === undefined ? await loadPool() : (pool.constructor as PgPoolClass);
  const given = givenOptions(options);
  const opened = new Pool({
    application_name: `leadership ${group}`,
    ...given,
    max: connectionsMax,
    min: 0,
    connectionTimeoutMillis: openingMsOf(thresholdMs),
    // Bounds the first statement, which no signal does.
    query_timeout: openingMsOf(thresholdMs),
    keepAlive: true,
    keepAliveInitialDelayMillis: thresholdMs,
    stream: (...asked: readonly unknown[]) => {
      const socket = given.stream?.(...asked) ?? new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
  });
  // A connection that fails fails its request too. One that fails between requests is replaced.
  opened.on('error', () => undefined);
  opened.on('connect', (client) => client.on('error', () => undefined));
  return opened;
}

/** The certificates of new connections. */
interface Certificates {
  /** Gives the pool current ones, if the application supplies them by a function. */
  renew(pool: PgPool, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Calls the function once at a time, and for no single request: one that gives up needs them again. */
function loadedCertificates(options: PgConnectionsOptions): Certificates {
  const { thresholdMs, clock } = options;
  const { ssl } = givenOptions(options);
  const [name, over] = ['connection.ssl', new AbortController()];
  const limits = { clock, limitMs: openingMsOf(thresholdMs), signal: over.signal };
  const loading = new Shared(() =>
    withTimeout(limits, (signal) => supplied(name, 'object', ssl as Supplied<object>, signal)),
  );
  return {
    async renew(pool, signal) {
      if (typeof ssl !== 'function') return;
      const loaded = loading.get();
      pool.options.ssl = await waitFor(`the function ${name}`, loaded, signal);
      loading.drop(loaded);
    },
    close: () => over.abort(),
  };
}

/** Options of a pool that need care when they are copied. */
interface GivenOptions {
  readonly ssl?: unknown;
  readonly password?: unknown;
  readonly stream?: (...asked: readonly unknown[]) => Duplex;
}

function givenOptions({ connection, pool }: PgConnectionsOptions): GivenOptions {
  const given = typeof connection === 'string' ? { connectionString: connection } : connection;
  // The pool hides its password from enumeration.
  const { password } = (pool?.options ?? given) as GivenOptions;
  const { signal } = new AbortController();
  const current =
    typeof password === 'function'
      ? () => supplied('connection.password', 'string', password as () => Promise<string>, signal)
      : password;
  return { ...given, ...pool?.options, ...(password !== undefined && { password: current }) };
}

async function loadPool(): Promise<PgPoolClass> {
  const { default: pg } = await loadPackage(
    'pg',
    () => import('pg'),
    'set query for another driver',
  );
  return pg.Pool as unknown as PgPoolClass;
}
