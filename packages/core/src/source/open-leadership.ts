import type { BackendModule } from '../contract/backend-module.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { SourceOptions } from '../contract/options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { parseAddress, schemeOf } from './address.ts';
import { nearest } from './nearest.ts';

/** Which package speaks which scheme. Loaded on demand: those not used need not be installed. */
const packages: Readonly<Record<string, string>> = {
  file: '@leadership/file',
  kafka: '@leadership/kafka',
  kinesis: '@leadership/kinesis',
  nerio: '@leadership/nerio',
  gossip: '@leadership/scuttlebutt',
};

/** What Node says of a package that is not there: to `import`, and to `require`. */
const notFound: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/**
 * Opens a source on whatever backend the URL names. Resolves as soon as the options hold together, and has touched no
 * network then; `ready()` waits for the backend. One exception: where `partitions` is left to a Kinesis stream, it has to be asked.
 *
 * @param url - `memory:GROUP`, `file:DIR?group=GROUP`; the query holds scalar options
 * @param options - what every backend takes, and what the backend's own factory does; secrets go here, never in the URL
 * @throws LeadershipError `invalid-options`, or `unknown-backend` where the scheme or its package is missing
 */
export async function openLeadership<Options extends SourceOptions>(url: string | URL, options?: Options): Promise<LeadershipSource> {
  const text = String(url);
  const { load = importPackage } = options ?? {};
  if (typeof load !== 'function') throw new LeadershipError('invalid-options', 'load must be a function that imports a package');
  const backend = await loadBackend(schemeOf(text), load);
  return backend.open(parseAddress(text, backend.parameters), options ?? {});
}

async function loadBackend(scheme: string | undefined, load: (specifier: string) => Promise<unknown>): Promise<BackendModule> {
  if (scheme === 'memory') return (await import('../memory/backend-module.ts')).backend;
  const specifier = scheme !== undefined && Object.hasOwn(packages, scheme) ? packages[scheme] : undefined;
  if (specifier === undefined) throw unknownScheme(scheme);
  const module = await loadPackage(specifier, load);
  if (isBackendPackage(module) && module.backend.scheme === scheme) return module.backend;
  throw new LeadershipError('unknown-backend', `${specifier} does not speak ${scheme}: install a version that does`);
}

async function loadPackage(specifier: string, load: (specifier: string) => Promise<unknown>): Promise<unknown> {
  try {
    return await load(specifier);
  } catch (cause) {
    const isMissing = isCoded(cause) && notFound.includes(cause.code) && cause.message.includes(`'${specifier}'`);
    const sentence = isMissing
      ? `${specifier} is not installed: npm install ${specifier}`
      : `${specifier} could not be loaded: ${String(cause)}`;
    throw new LeadershipError('unknown-backend', sentence, { cause });
  }
}

/** Computed, so that bundlers do not pull in every backend. */
function importPackage(specifier: string): Promise<unknown> {
  return import(/* @vite-ignore */ specifier);
}

function unknownScheme(scheme: string | undefined): LeadershipError {
  const known = ['memory', ...Object.keys(packages)];
  const meant = scheme === undefined ? undefined : nearest(scheme, known);
  const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}:?`;
  return new LeadershipError(
    'unknown-backend',
    `no backend speaks ${scheme === undefined ? 'a URL without a scheme' : `${scheme}:`}; ${hint}`,
  );
}

function isCoded(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && 'code' in error;
}

function isBackendPackage(module: unknown): module is { readonly backend: BackendModule } {
  if (typeof module !== 'object' || module === null || !('backend' in module)) return false;
  const { backend } = module;
  return typeof backend === 'object' && backend !== null && 'open' in backend && 'scheme' in backend;
}
