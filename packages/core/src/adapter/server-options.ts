// The options of an adapter whose store is a server: their checks, and the server that a URL names.

import type { LeadershipAddress } from '../contract/address.ts';
import type { BackendModule, UrlParameters } from '../contract/backend-module.ts';
import { check, show, withoutPassword } from '../contract/check-option.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { SourceOptions } from '../contract/options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { nearest } from './nearest.ts';
import { mergeAddress } from './resolve-options.ts';
import { checkSecret, checkTls } from './supplied.ts';

/** Checks that each of these options is absent or of the type. */
export function checkTypes(
  type: 'boolean' | 'function' | 'number' | 'object' | 'string',
  options: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(options))
    check(
      value === undefined || typeof value === type,
      `${name} ${withoutPassword(String(value))} must be of type ${type}`,
    );
}

/** Checks that the object of an option has no other fields. A misspelt one would have no effect. */
export function checkFields(name: string, value: object, known: readonly string[]): void {
  for (const field of Object.keys(value)) {
    const meant = nearest(field, known);
    const hint = meant === undefined ? `it takes ${known.join(', ')}` : `did you mean ${meant}?`;
    check(known.includes(field), `${name} has no option ${field}; ${hint}`);
  }
}

/** The kind of a field of a connection. */
export type ConnectionField = 'string' | 'number' | 'secret' | 'tls';

/**
 * Checks the option `connection`, whose fields have these kinds: refuses what a client could not use,
 * before it connects with less than was meant.
 */
export function checkConnection(
  connection: object = {},
  kinds: Readonly<Record<string, ConnectionField>>,
): void {
  checkTypes('object', { connection });
  check(connection !== null, 'connection null must be of type object');
  checkFields('connection', connection, Object.keys(kinds));
  for (const [field, value] of Object.entries(connection)) {
    const [name, kind] = [`connection.${field}`, kinds[field]];
    if (kind === 'secret') checkSecret(name, value);
    else if (kind === 'tls') checkTls(name, value);
    else if (kind !== undefined) checkTypes(kind, { [name]: value });
    // The error of a connection would show it.
    check(
      field !== 'host' || !String(value).includes('@'),
      `${name} must be a host without user and password: they are options of their own`,
    );
  }
}

/**
 * Checks that each of these options is absent or a name that a store can keep: no text in UTF-8 has half
 * a surrogate pair, and few stores keep NUL. A store may cut a name of more than `bytesMax` bytes.
 */
export function checkNames(names: Readonly<Record<string, unknown>>, bytesMax?: number): void {
  for (const [name, value] of Object.entries(names)) {
    if (value === undefined) continue;
    check(
      typeof value === 'string' && value !== '' && !/[\0\p{Surrogate}]/u.test(value),
      `${name} ${withoutPassword(JSON.stringify(value))} must be a name without NUL and half a surrogate pair`,
    );
    check(
      bytesMax === undefined || Buffer.byteLength(value) <= bytesMax,
      `${name} "${value}" must have at most ${bytesMax} bytes`,
    );
  }
}

/** `HOST`, `HOST:PORT`, or the same with an IPv6 address in brackets. */
const hostPattern = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+)(:\d{1,5})?$/;

/**
 * Checks a list of servers, each as `HOST` or `HOST:PORT`. `name` is the option without its "s". An error
 * shows none of them: it may contain a password.
 */
export function checkHosts(name: string, hosts: unknown): void {
  const list: readonly unknown[] = Array.isArray(hosts) ? hosts : [];
  check(list.length > 0, `${name}s must be a list of servers, each as HOST or HOST:PORT`);
  for (const [index, host] of list.entries())
    check(
      typeof host === 'string' && hostPattern.test(host),
      `${name} ${index + 1} must be HOST or HOST:PORT; the options tls, user and password say the rest`,
    );
}

/** Returns the names of the options that have a value. */
export function namesGiven(options: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(options).filter((name) => options[name] !== undefined);
}

/**
 * Returns the backend module of servers that a URL lists, as in `SCHEME://HOST:PORT,HOST:PORT/?group=GROUP`.
 * `option` is the option with the list. `open` opens a source with the options of the URL and of the call.
 */
export function hostsBackend<Options extends SourceOptions>(
  scheme: string,
  parameters: UrlParameters,
  option: keyof Options & string,
  open: (options: Options) => LeadershipSource,
): BackendModule {
  return {
    scheme,
    parameters,
    open(address, options) {
      const { hosts, path } = address;
      check(
        path === '' || path === '/',
        `a URL of ${scheme} has no path, but ${show(path)}: name the group as in ${scheme}://HOST:PORT/?group=GROUP`,
      );
      // The URL may only ask for TLS; the certificates are then options.
      return open(mergeAddress(address, options, { [option]: hosts }) as unknown as Options);
    },
  };
}

/**
 * Returns the server that a URL names, as far as it does. `advice` says what to do instead of naming
 * several.
 */
export function serverIn(
  { hosts }: LeadershipAddress,
  advice: string,
): { readonly host?: string; readonly port?: number } {
  check(hosts.length < 2, `the URL names ${hosts.length} hosts: ${advice}`);
  const [, host, port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(hosts[0] ?? '') ?? [];
  // It may be a user and a password.
  check(host !== undefined, 'the server in the URL must be HOST or HOST:PORT');
  return {
    ...(host !== '' && { host: host.replace(/^\[(.*)\]$/, '$1') }),
    ...(port !== undefined && { port: Number(port) }),
  };
}

/**
 * Returns the option `connection` as far as a URL names it. If the options name the server in
 * another way, as by a client, the URL must name none.
 */
export function connectionNamed<Connection extends object>(
  named: Connection,
  { scheme, isGiven }: { readonly scheme: string; readonly isGiven: boolean },
): { readonly connection?: Connection } {
  if (Object.keys(named).length === 0) return {};
  check(!isGiven, `the URL and an option both name the server: write ${scheme}:?group=GROUP`);
  return { connection: named };
}

/** The options of a source in a database, as far as they name a server. */
export interface DatabaseOptions extends SourceOptions {
  /** How to connect to the server. */
  readonly connection?: unknown;
  /** A pool of the application, in place of connections of this source. */
  readonly pool?: unknown;
  /** The application's function that sends a statement, in place of both. */
  readonly query?: unknown;
}

/**
 * Returns the backend module of a database, whose URL is `SCHEME://HOST:PORT/DATABASE?user=USER`. All
 * of them are optional. `open` opens a source with the options of the URL and of the call.
 */
export function databaseBackend<Options extends DatabaseOptions>(
  scheme: string,
  parameters: UrlParameters,
  open: (options: Options) => LeadershipSource,
): BackendModule {
  return {
    scheme,
    parameters,
    open(address, options: DatabaseOptions) {
      const { connection, pool, query } = options;
      const isGiven = typeof connection === 'string' || pool !== undefined || query !== undefined;
      const named = connectionNamed(databaseIn(address), { scheme, isGiven });
      // The user is one of the connection.
      const { user: _, ...own } = address.parameters;
      return open(mergeAddress({ ...address, parameters: own }, options, named) as Options);
    },
  };
}

/** Returns the server, the database and the user that a URL names, as far as it does. */
export function databaseIn(address: LeadershipAddress): Readonly<Record<string, unknown>> {
  const database = address.path.replace(/^\//, '');
  const { user } = address.parameters;
  return {
    ...serverIn(address, 'name one address, which follows the primary in a fail-over'),
    ...(database !== '' && { database }),
    ...(typeof user === 'string' && { user }),
  };
}

/**
 * Loads a package that the adapter needs only if the application passes no client of its own.
 * @throws LeadershipError `misconfigured-backend` if it cannot be loaded
 */
export async function loadPackage<Module>(
  name: string,
  load: () => Promise<Module>,
  alternative: string,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new LeadershipError(
      'misconfigured-backend',
      `the package ${name} cannot be loaded: npm install ${name}, or ${alternative}`,
      { cause },
    );
  }
}
