import { after, type Clock } from '@leadership/core/backend';

/** No answer arrived in time: the connection counts as dead, even if the operating system takes it for open. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';

  constructor(limitMs: number) {
    super(`no answer within ${Math.round(limitMs)} ms`);
  }
}

/** The limit is this number of timers in a row: a suspended process loses one of them, not the whole limit, before it reads its sockets. */
const steps = 4;

/** The answer, or {@link Unanswered} after `limitMs`; rejects at once when the signal aborts. */
export function timely<T>(clock: Clock, limitMs: number, answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = steps;
    let timer: Disposable | undefined;
    const settle = (settled: () => void): void => {
      timer?.[Symbol.dispose]();
      signal?.removeEventListener('abort', abort);
      settled();
    };
    const abort = (): void => settle(() => reject(new Error('it is waited for no more')));
    const wait = (): void => {
      timer = clock.wake(after(clock.now(), limitMs / steps), () => {
        left -= 1;
        if (left > 0) wait();
        else settle(() => reject(new Unanswered(limitMs)));
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
