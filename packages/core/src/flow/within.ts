import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';

/** How long an answer is waited for. */
export interface Patience {
  readonly clock: Clock;
  readonly limitMs: number;
  /** Nothing is waited for once this aborts. */
  readonly until: AbortSignal;
}

/**
 * The answer to `call`, or a rejection: of its own, synchronous ones included, or once patience is over. Then the signal that
 * `call` got aborts. An own time-out on every request, never the client library's default.
 */
export function within<T>({ clock, limitMs, until }: Patience, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const attempt = async (): Promise<T> => await call(controller.signal);
  return new Promise((resolve, reject) => {
    const giveUp = (why: string): void => {
      clean();
      controller.abort();
      reject(new Error(why));
    };
    const stopped = (): void => giveUp('it is waited for no more');
    const timer = clock.wake(after(clock.now(), limitMs), () => giveUp(`no answer within ${Math.round(limitMs)} ms`));
    const clean = (): void => {
      timer[Symbol.dispose]();
      until.removeEventListener('abort', stopped);
    };
    until.addEventListener('abort', stopped, { once: true });
    attempt().then(resolve, reject).finally(clean);
  });
}
