import type { BackendModule } from '../contract/backend-module.ts';
import { LeadershipError } from '../contract/leadership-error.ts';

/** Backends that the application registered, by scheme. They come before the packages that are loaded on demand. */
const registered = new Map<string, BackendModule>();

/** What RFC 3986 allows as a scheme, in lower case: URLs are compared in lower case. */
const schemePattern = /^[a-z][a-z0-9+.-]*$/;

/**
 * Makes a backend available to `openLeadership` under its scheme. Call it once, before the first URL of that scheme is opened:
 * for adapters that this project does not know, and for bundlers that cannot load a package on demand.
 *
 * @throws LeadershipError `invalid-options` if the module is not a backend, or if another one has the scheme already
 */
export function registerBackend(backend: BackendModule): void {
  const { scheme, open } = backend;
  if (typeof scheme !== 'string' || !schemePattern.test(scheme) || typeof open !== 'function') {
    const sentence = 'a backend needs a lower-case URL scheme and an open function; register what the adapter exports as `backend`';
    throw new LeadershipError('invalid-options', `registerBackend: ${sentence}`);
  }
  const present = registered.get(scheme);
  if (present !== undefined && present !== backend) {
    throw new LeadershipError('invalid-options', `registerBackend: scheme "${scheme}" has another backend already; register one only`);
  }
  registered.set(scheme, backend);
}

/** The backend registered under that scheme. */
export function registeredBackend(scheme: string): BackendModule | undefined {
  return registered.get(scheme);
}

/** The schemes that are registered, in the order of registration. */
export function registeredSchemes(): readonly string[] {
  return [...registered.keys()];
}
