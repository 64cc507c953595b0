// Credentials that requests use for as long as they are valid. The SDK makes each request wait for
// new ones during the last five minutes before expiry: with a provider that is slow, or credentials
// that are valid for no longer than that, each renewal of a lease would wait.
import type { Credentials } from './credentials.ts';

/** A request takes this long at most until AWS checks its credentials. Milliseconds. */
const requestMs = 5000;

/**
 * Returns a provider like the given one that resolves with its last credentials while they are
 * valid. `forceRefresh` renews them, which `keepCredentials` does ahead of time. Calls share one
 * renewal.
 */
export function heldCredentials(
  provider: Credentials,
  wallMs: () => number = Date.now,
): Credentials {
  let held: Awaited<ReturnType<Credentials>> | undefined;
  let renewing: ReturnType<Credentials> | undefined;
  const renew: Credentials = (options) => {
    renewing ??= provider(options)
      .then((renewed) => {
        held = renewed;
        return renewed;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };
  const isValid = ({ expiration }: { readonly expiration?: Date }): boolean =>
    expiration === undefined || expiration.getTime() - wallMs() > requestMs;
  const current: Credentials = async (options) =>
    held !== undefined && isValid(held) && options?.forceRefresh !== true ? held : renew(options);
  // Else the SDK would put its own rule in front.
  return Object.assign(current, { memoized: true, waitMs: requestMs });
}
