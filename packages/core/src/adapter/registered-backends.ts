// The registry in which `openLeadership` looks up a URL's scheme before it loads a package.
import type { BackendModule } from '../contract/backend-module.ts';
import { LeadershipError } from '../contract/leadership-error.ts';

/**
 * The registered backends, by scheme. They take precedence over the packages that are loaded on
 * demand.
 */
const registered = new Map<string, BackendModule>();

/** The schemes that RFC 3986 allows, in lower case, because URLs are compared in lower case. */
const schemePattern = /^[a-z][a-z0-9+.-]*$/;

/**
 * Registers a backend for `openLeadership` under its scheme. Call it once, before the first URL of
 * that scheme is opened. Use it for adapters of other projects, and with bundlers that cannot load
 * a package on demand.
 *
 * @throws LeadershipError `invalid-options` if the module is not a backend, or if another backend
 * has the scheme
 */
export function registerBackend(backend: BackendModule): void {
  const { scheme, open } = backend;
  if (typeof scheme !== 'string' || !schemePattern.test(scheme) || typeof open !== 'function') {
    const sentence =
      'a backend needs a lower-case URL scheme and an open function; register what the adapter exports as `backend`';
    throw new LeadershipError('invalid-options', `registerBackend: ${sentence}`);
  }
  const present = registered.get(scheme);
  if (present !== undefined && present !== backend) {
    throw new LeadershipError(
      'invalid-options',
      `registerBackend: scheme "${scheme}" already has another backend; register only one per scheme`,
    );
  }
  registered.set(scheme, backend);
}

/** Returns the backend registered under that scheme. */
export function registeredBackend(scheme: string): BackendModule | undefined {
  return registered.get(scheme);
}

/** Returns the registered schemes, in the order of registration. */
export function registeredSchemes(): readonly string[] {
  return [...registered.keys()];
}
