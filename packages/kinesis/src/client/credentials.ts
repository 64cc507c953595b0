// Renews expiring credentials ahead of time, so that the renewal of a lease does not wait for them.
// Reports a provider that is slow.
import { LeadershipError } from '@leadership/core';
import { type Clock, sleep } from '@leadership/core/adapter';
import { after, type HealthReporter } from '@leadership/core/internal/engine';
import { toError } from '../errors.ts';

/**
 * The credentials provider of an SDK client. It caches the credentials and fetches new ones shortly
 * before they expire.
 */
export type Credentials = ((options?: {
  readonly forceRefresh?: boolean;
}) => Promise<{ readonly expiration?: Date }>) & {
  /**
   * Requests wait for a renewal once the credentials are valid for no longer than this.
   * Milliseconds. Default: as the SDK does.
   */
  readonly waitMs?: number;
};

/** Which credentials to renew, and how. */
export interface CredentialRenewal {
  /** The owner's name for error messages, as in `table "leases"`. */
  readonly of: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** A renewal that takes longer than this is reported as slow. Milliseconds. */
  readonly slowMs: number;
  readonly troubles: HealthReporter;
  readonly warnings: HealthReporter;
  /** The wall clock, because credentials expire by it. Default: `Date.now`. */
  readonly wallMs?: () => number;
}

/**
 * Renews the credentials of a stream. Starts when `opened` is called, because the stream's client
 * is loaded on demand, and ends with `close`.
 */
export function streamCredentials(
  name: string,
  renewal: Pick<CredentialRenewal, 'clock' | 'slowMs' | 'troubles' | 'warnings'>,
): { readonly opened: (credentials: Credentials) => void; close(): void } {
  const closed = new AbortController();
  const { troubles, warnings } = renewal;
  return {
    opened(credentials) {
      if (!closed.signal.aborted)
        void keepCredentials({ ...renewal, of: `stream "${name}"`, credentials }, closed.signal);
    },
    close() {
      closed.abort();
      troubles.mendAll();
      warnings.mendAll();
    },
  };
}

/**
 * During the last five minutes of validity each SDK request waits for new credentials.
 * Milliseconds.
 */
const sdkAheadMs = 5 * 60_000;
/** How long before expiry this module renews the credentials. Milliseconds. */
const aheadMs = 2 * sdkAheadMs;
/**
 * Bounds of the pause between two checks. The upper bound is needed because the wall clock may be
 * set and the machine may sleep. Milliseconds.
 */
const [leastMs, mostMs] = [1000, 60_000];
const about = 'credentials';

/**
 * Renews the credentials ahead of time until the signal aborts or they never expire. Never rejects.
 */
export async function keepCredentials(
  renewal: CredentialRenewal,
  signal: AbortSignal,
): Promise<void> {
  const { clock, wallMs = Date.now } = renewal;
  let expiresAt: number | undefined;
  while (!signal.aborted) {
    const answer = await renewed(
      renewal,
      expiresAt === undefined ? undefined : expiresAt - wallMs(),
      signal,
    );
    if (answer === 'constant') return;
    if (answer !== 'failed') expiresAt = answer;
    // Without a first answer the expiry is unknown, and each request waits for credentials: retry
    // soon.
    await sleep(clock, expiresAt === undefined ? leastMs : waitMs(expiresAt - wallMs()), signal);
  }
}

/**
 * Returns the time until the next renewal is due, or a tenth of the time left if the provider keeps
 * returning the same credentials. Milliseconds.
 */
function waitMs(leftMs: number): number {
  const untilMs = leftMs > aheadMs ? leftMs - aheadMs : leftMs / 10;
  return Math.min(mostMs, Math.max(leastMs, untilMs));
}

/** Calls the provider once. Resolves with the expiry in wall-clock milliseconds. */
async function renewed(
  renewal: CredentialRenewal,
  leftMs: number | undefined,
  signal: AbortSignal,
): Promise<number | 'constant' | 'failed'> {
  const { of, credentials, clock, slowMs, troubles, warnings } = renewal;
  const isBlocking = leftMs === undefined || leftMs < (credentials.waitMs ?? sdkAheadMs);
  const isDue = leftMs !== undefined && leftMs < aheadMs;
  const raise = (error: LeadershipError): void =>
    (isBlocking ? troubles : warnings).raise(about, error);
  const slow = clock.wake(after(clock.now(), slowMs), () =>
    raise(slowness(of, slowMs, isBlocking)),
  );
  try {
    const { expiration } = await untilStopped(
      credentials(isDue ? { forceRefresh: true } : undefined),
      signal,
    );
    troubles.mend(about);
    warnings.mend(about);
    return expiration === undefined ? 'constant' : expiration.getTime();
  } catch (cause) {
    const sentence = `${of}: cannot renew the credentials: ${toError(cause).message}; retrying`;
    if (!signal.aborted) raise(new LeadershipError('unauthorized', sentence, { cause }));
    return 'failed';
  } finally {
    slow[Symbol.dispose]();
  }
}

function slowness(of: string, slowMs: number, isBlocking: boolean): LeadershipError {
  const meanwhile = isBlocking
    ? 'each request waits for them, so leases expire'
    : 'the current ones are still in use';
  const sentence = `${of}: renewing the credentials takes longer than ${Math.round(slowMs)} ms, and ${meanwhile}; check the credentials provider`;
  return new LeadershipError('unauthorized', sentence);
}

/**
 * Rejects once the signal aborts, so that a provider that never answers cannot keep a timer alive.
 */
function untilStopped<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
