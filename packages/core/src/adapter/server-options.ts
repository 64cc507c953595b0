// The options of an adapter whose store is a server: their checks, and the server that a URL names.

import type { LeadershipAddress } from '../contract/address.ts';
import { check } from '../contract/check-option.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { nearest } from './nearest.ts';

/** Checks that each of these options is absent or of the type. */
export function checkTypes(
  type: 'boolean' | 'function' | 'number' | 'object' | 'string',
  options: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(options))
    check(value === undefined || typeof value === type, `${name} ${value} must be of type ${type}`);
}

/** Checks that the object of an option has no other fields. A misspelt one would have no effect. */
export function checkFields(name: string, value: object, known: readonly string[]): void {
  for (const field of Object.keys(value)) {
    const meant = nearest(field, known);
    const hint = meant === undefined ? `it takes ${known.join(', ')}` : `did you mean ${meant}?`;
    check(known.includes(field), `${name} has no option ${field}; ${hint}`);
  }
}

/** Returns the names of the options that have a value. */
export function namesGiven(options: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(options).filter((name) => options[name] !== undefined);
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
  check(host !== undefined, `"${hosts[0]}" is not HOST or HOST:PORT`);
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
