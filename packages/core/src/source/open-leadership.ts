// `openLeadership`: loads the package that the scheme of a URL names, and opens a source with it.
import { commonParameters, parseAddress, schemeOf } from '../adapter/address.ts';
import { nearest } from '../adapter/nearest.ts';
import { registeredBackend, registeredSchemes } from '../adapter/registered-backends.ts';
import type { BackendModule } from '../contract/backend-module.ts';
import type { OptionsFor } from '../contract/backend-options.ts';
import { check, show } from '../contract/check-option.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { SourceOptions } from '../contract/options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { connectGuard, type Reach } from './guarded.ts';

/**
 * The package of each scheme. Packages are loaded on demand, so unused ones need not be installed.
 */
const packages: Readonly<Record<string, string>> = {
  file: '@leadership/file',
  kafka: '@leadership/kafka',
  postgres: '@leadership/postgres',
  mysql: '@leadership/mysql',
  etcd: '@leadership/etcd',
  kubernetes: '@leadership/kubernetes',
  nats: '@leadership/nats',
  redis: '@leadership/redis',
  kinesis: '@leadership/kinesis',
  nerio: '@leadership/nerio',
  gossip: '@leadership/scuttlebutt',
};

/** Other names of a scheme. */
const aliases: Readonly<Record<string, string>> = {
  postgresql: 'postgres',
  mariadb: 'mysql',
  rediss: 'redis',
  valkey: 'redis',
  k8s: 'kubernetes',
};

/** The schemes of stores that users expect a backend of. None of them is a misspelt other one. */
const storesWithoutBackend: ReadonlySet<string> = new Set([
  ...['mongodb', 'mongodb+srv', 'sqlite'],
  ...['consul', 'zookeeper', 'zk', 's3'],
]);

/** The page that describes how to add a backend, and lists those that exist. */
const adaptersPage =
  'https://github.com/leadership-js/leadership/blob/main/docs/how-to/write-an-adapter.md';

/** Node's error codes for a missing package, in `import` and in `require`. */
const notFound: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/**
 * Opens a source on the backend that the URL names. Resolves once the options are checked, without
 * using the network; `ready()` waits for the backend. One exception: if a Kinesis stream determines
 * `partitions`, the stream is read first.
 *
 * @param url - `memory:GROUP`, `file:DIR?group=GROUP`, …; the query contains scalar options
 * @param options - the common options and those of the URL's scheme; pass secrets here, never in
 * the URL
 * @throws LeadershipError `invalid-options`, or `unknown-backend` if the scheme is unknown or its
 * package is missing
 */
export async function openLeadership<const Url extends string | URL>(
  url: Url,
  options?: OptionsFor<Url>,
): Promise<LeadershipSource>;
export async function openLeadership(
  url: string | URL,
  options: SourceOptions = {},
): Promise<LeadershipSource> {
  const text = String(url);
  // A program without types may pass a value that is no object, whose properties would be ignored.
  check(
    typeof options === 'object' && options !== null && !Array.isArray(options),
    `options ${Array.isArray(options) ? '[…]' : show(options)} must be an object such as { thresholdMs: 3000 }, or be left out`,
  );
  const { load = importPackage } = options;
  if (typeof load !== 'function')
    throw new LeadershipError('invalid-options', 'load must be a function that imports a package');
  const scheme = schemeOf(text) ?? '';
  const backend = await loadBackend(
    Object.hasOwn(aliases, scheme) ? aliases[scheme] : schemeOf(text),
    load,
  );
  const source = await backend.open(parseAddress(text, backend.parameters), options);
  connectGuard(source, reachOf(text, scheme, options, backend));
  return source;
}

/** Returns how a guard opens the same group: by the URL, and the options that a URL may contain. */
function reachOf(
  text: string,
  scheme: string,
  options: SourceOptions,
  { parameters }: BackendModule,
): Reach {
  if (scheme === 'memory')
    return { problem: 'a memory: group ends with its process, so there is nothing to release' };
  const {
    campaign: _,
    partitionsMax: _limit,
    guard: _own,
    member: _name,
    ...shared
  } = {
    ...commonParameters,
    ...parameters,
  };
  const query = new URLSearchParams(text.split('?').slice(1).join('?'));
  for (const own of ['campaign', 'partitionsMax', 'guard', 'member']) query.delete(own);
  for (const name of Object.keys(shared)) {
    const value: unknown = Reflect.get(options, name);
    if (typeof value === shared[name as keyof typeof shared]) query.set(name, String(value));
  }
  return { url: `${text.split('?')[0]}?${query}` };
}

async function loadBackend(
  scheme: string | undefined,
  load: (specifier: string) => Promise<unknown>,
): Promise<BackendModule> {
  const registered = scheme === undefined ? undefined : registeredBackend(scheme);
  if (registered !== undefined) return registered;
  if (scheme === 'memory') return (await import('../memory/backend-module.ts')).backend;
  const specifier =
    scheme !== undefined && Object.hasOwn(packages, scheme) ? packages[scheme] : undefined;
  if (specifier === undefined) throw unknownScheme(scheme);
  const module = await loadPackage(specifier, load);
  if (isBackendPackage(module) && module.backend.scheme === scheme) return module.backend;
  throw new LeadershipError(
    'unknown-backend',
    `${specifier} has no backend for ${scheme}: URLs; install a version that has one`,
  );
}

async function loadPackage(
  specifier: string,
  load: (specifier: string) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await load(specifier);
  } catch (cause) {
    const isMissing =
      isCoded(cause) && notFound.includes(cause.code) && cause.message.includes(`'${specifier}'`);
    const sentence = isMissing
      ? `${specifier} is not installed: npm install ${specifier}; in a bundle, import its backend and call registerBackend`
      : `${specifier} could not be loaded: ${String(cause)}`;
    throw new LeadershipError('unknown-backend', sentence, { cause });
  }
}

/** Imports a package by a computed name, so that bundlers do not include every backend. */
function importPackage(specifier: string): Promise<unknown> {
  return import(/* @vite-ignore */ specifier);
}

function unknownScheme(scheme: string | undefined): LeadershipError {
  const known = [...new Set(['memory', ...Object.keys(packages), ...registeredSchemes()])];
  const said = scheme === undefined ? 'a URL without a scheme' : `${scheme}:`;
  const isGuess = scheme !== undefined && !storesWithoutBackend.has(scheme);
  const meant = isGuess ? nearest(scheme, known) : undefined;
  const hint =
    meant === undefined
      ? `known schemes are ${known.join(', ')}; registerBackend adds others: ${adaptersPage}`
      : `did you mean ${meant}:?`;
  return new LeadershipError('unknown-backend', `no backend for ${said}; ${hint}`);
}

function isCoded(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && 'code' in error;
}

function isBackendPackage(module: unknown): module is { readonly backend: BackendModule } {
  if (typeof module !== 'object' || module === null || !('backend' in module)) return false;
  const { backend } = module;
  return (
    typeof backend === 'object' && backend !== null && 'open' in backend && 'scheme' in backend
  );
}
