// Limits how long a store of ticks may take.
import { LeadershipError } from '@leadership/core';
import type { TickStore } from './tick-store.ts';

/**
 * The longest time that a call of a store may take, in milliseconds. It is shorter than the usual
 * drain time-out of 25 s, so that a hand-over need not be fenced because of a store.
 */
const answerMsMax = 20_000;

/**
 * Returns the store with a limit for each call: one that has no answer by then rejects. Many clients
 * wait for hours on a connection that was cut, and the schedule would silently stop meanwhile. A
 * claim that takes effect after all loses its tick, which no member runs.
 */
export function answeringStore(store: TickStore): TickStore {
  return {
    ...(store.token && { token: (name) => answer(name, async () => await store.token?.(name)) }),
    latest: (name) => answer(name, () => store.latest(name)),
    claim: (name, at, token) => answer(name, () => store.claim(name, at, token)),
  };
}

function answer<T>(name: string, call: () => PromiseLike<T>): Promise<T> {
  // A store may also throw.
  const attempt = async (): Promise<T> => await call();
  return new Promise((resolve, reject) => {
    const tooLate = (): void =>
      reject(
        new LeadershipError(
          'unreachable',
          `schedule "${name}": the store of its ticks has not answered for ${answerMsMax / 1000} s; check that the store is reachable`,
        ),
      );
    const timer = setTimeout(tooLate, answerMsMax);
    void attempt()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
