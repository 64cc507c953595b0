// Ends a connection on which a broker does not answer.
import type { Clock } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';

/**
 * No answer arrived in time: the connection counts as dead, even if the operating system still
 * reports it as open.
 */
export class ResponseTimeoutError extends Error {
  override readonly name = 'ResponseTimeoutError';

  constructor(limitMs: number) {
    super(`no answer within ${Math.round(limitMs)} ms`);
  }
}

/**
 * The number of consecutive timers in the limit. After a suspension, one timer expires, not the
 * whole limit, before the process reads its sockets.
 */
const steps = 4;

/**
 * Returns the answer, or rejects with {@link ResponseTimeoutError} after `limitMs`. Rejects at once
 * when the signal aborts.
 */
export function withResponseTimeout<T>(
  clock: Clock,
  limitMs: number,
  answer: Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = steps;
    let timer: Disposable | undefined;
    const settle = (settled: () => void): void => {
      timer?.[Symbol.dispose]();
      signal?.removeEventListener('abort', abort);
      settled();
    };
    const abort = (): void =>
      settle(() => reject(new Error('aborted while waiting for an answer')));
    const wait = (): void => {
      timer = clock.wake(after(clock.now(), limitMs / steps), () => {
        left -= 1;
        if (left > 0) wait();
        else settle(() => reject(new ResponseTimeoutError(limitMs)));
      });
    };
    answer.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    wait();
  });
}
