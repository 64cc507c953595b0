// Limits how long a request to a store may take.
import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';
import { noAnswerWithin } from './waiting.ts';

/** The time limit of a request. */
export interface TimeoutOptions {
  /** The clock that measures the limit. */
  readonly clock: Clock;
  /** The time limit. Milliseconds. */
  readonly limitMs: number;
  /** Ends the request when it aborts. */
  readonly signal: AbortSignal;
}

const stoppedBy = 'aborted while waiting for the answer';

/**
 * Calls `call` with a time limit. Resolves or rejects with its result; a synchronous throw rejects
 * too. At the limit, or when `until` aborts, rejects and aborts the signal passed to `call`; does not
 * call it if `until` has aborted before. Every
 * request gets such a limit of its own, because the default of a client library may be minutes.
 */
export function withTimeout<T>(
  { clock, limitMs, signal: until }: TimeoutOptions,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (until.aborted) return Promise.reject(new Error(stoppedBy));
  const controller = new AbortController();
  const attempt = async (): Promise<T> => await call(controller.signal);
  return new Promise((resolve, reject) => {
    const giveUp = (why: string): void => {
      clean();
      const error = new Error(why);
      controller.abort(error);
      reject(error);
    };
    const stopped = (): void => giveUp(stoppedBy);
    const timer = clock.wake(after(clock.now(), limitMs), () =>
      giveUp(noAnswerWithin(limitMs, controller.signal)),
    );
    const clean = (): void => {
      timer[Symbol.dispose]();
      until.removeEventListener('abort', stopped);
    };
    until.addEventListener('abort', stopped, { once: true });
    attempt().then(resolve, reject).finally(clean);
  });
}
