// Credentials that expire are renewed ahead, so that no renewal of a lease waits for them; one that takes long is named.
import { LeadershipError } from '@leadership/core';
import { after, type Clock, pause, type Raised } from '@leadership/core/backend';
import { toError } from './errors.ts';
import { answerMsOf, type Store } from './store.ts';

/** What a client of the SDK gets its credentials from. It keeps them, and asks again shortly before they expire. */
export type Credentials = (options?: { readonly forceRefresh: boolean }) => Promise<{ readonly expiration?: Date }>;

/** Whose credentials are kept, and how. */
export interface KeepingCredentials {
  /** As an error names it: `table "leases"`. */
  readonly of: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** After so long a renewal is slow. Milliseconds. */
  readonly slowMs: number;
  readonly troubles: Raised;
  readonly warnings: Raised;
  /** The wall clock, by which credentials expire. Default: `Date.now`. */
  readonly wallMs?: () => number;
}

/**
 * Keeps the credentials of a stream from the moment that its client is loaded.
 * @returns what is told of them then, and what ends it
 */
export function streamCredentials(
  name: string,
  { clock, thresholdMs }: Pick<Store, 'clock' | 'thresholdMs'>,
  reports: Pick<KeepingCredentials, 'troubles' | 'warnings'>,
): { readonly opened: (credentials: Credentials) => void; close(): void } {
  const closed = new AbortController();
  const keeping = { of: `stream "${name}"`, clock, slowMs: answerMsOf(thresholdMs), ...reports };
  return {
    opened(credentials) {
      if (!closed.signal.aborted) void keepCredentials({ ...keeping, credentials }, closed.signal);
    },
    close() {
      closed.abort();
      reports.troubles.mendAll();
      reports.warnings.mendAll();
    },
  };
}

/** From five minutes before they expire every request of the SDK waits for new ones. Milliseconds. */
const sdkAheadMs = 5 * 60_000;
/** So long before they expire they are renewed here. Milliseconds. */
const aheadMs = 2 * sdkAheadMs;
/** How often is looked, at most and at least: wall clocks are set, and machines sleep. Milliseconds. */
const [leastMs, mostMs] = [1000, 60_000];
const about = 'credentials';

/** Renews them ahead until the signal aborts, unless they never expire. Never rejects. */
export async function keepCredentials(keeping: KeepingCredentials, signal: AbortSignal): Promise<void> {
  const { clock, wallMs = Date.now } = keeping;
  let expiresAt: number | undefined;
  while (!signal.aborted) {
    const answer = await renewed(keeping, expiresAt === undefined ? undefined : expiresAt - wallMs(), signal);
    if (answer === 'constant') return;
    if (answer !== 'failed') expiresAt = answer;
    // Without a first answer nothing is known: every request waits for credentials as well.
    await pause(clock, expiresAt === undefined ? leastMs : waitMs(expiresAt - wallMs()), signal);
  }
}

/** Until they are due; where they are all the same, a tenth of what is left. */
function waitMs(leftMs: number): number {
  const untilMs = leftMs > aheadMs ? leftMs - aheadMs : leftMs / 10;
  return Math.min(mostMs, Math.max(leastMs, untilMs));
}

/** Asks for them once. When they expire, by the wall clock. */
async function renewed(
  keeping: KeepingCredentials,
  leftMs: number | undefined,
  signal: AbortSignal,
): Promise<number | 'constant' | 'failed'> {
  const { of, credentials, clock, slowMs, troubles, warnings } = keeping;
  const isBlocking = leftMs === undefined || leftMs < sdkAheadMs;
  const isDue = leftMs !== undefined && leftMs < aheadMs;
  const raise = (error: LeadershipError): void => (isBlocking ? troubles : warnings).raise(about, error);
  const slow = clock.wake(after(clock.now(), slowMs), () => raise(slowness(of, slowMs, isBlocking)));
  try {
    const { expiration } = await untilStopped(credentials(isDue ? { forceRefresh: true } : undefined), signal);
    troubles.mend(about);
    warnings.mend(about);
    return expiration === undefined ? 'constant' : expiration.getTime();
  } catch (cause) {
    const sentence = `${of}: the credentials could not be renewed: ${toError(cause).message}; it is tried again`;
    if (!signal.aborted) raise(new LeadershipError('unauthorized', sentence, { cause }));
    return 'failed';
  } finally {
    slow[Symbol.dispose]();
  }
}

function slowness(of: string, slowMs: number, isBlocking: boolean): LeadershipError {
  const meanwhile = isBlocking ? 'every request waits for them, so leases run out' : 'the present ones are used meanwhile';
  const sentence = `${of}: the credentials take longer than ${Math.round(slowMs)} ms to renew, and ${meanwhile}; see to the credentials provider`;
  return new LeadershipError('unauthorized', sentence);
}

/** The answer, or a rejection once the signal aborts: a provider that hangs must not keep a timer. */
function untilStopped<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
