import { setTimeout as pause } from 'node:timers/promises';

/** How often a store is asked for a sign of life. Milliseconds: several times while a leader is being replaced. */
const periodMs = 50;

/** Measures how long a store takes to answer. */
export interface AnswerWatch extends Disposable {
  /** The slowest answer since the last call, one that is still awaited included. Milliseconds. */
  takeMs(): number;
}

/** Asks again and again, until disposed. A question that fails was answered when it failed. */
export function answerWatch(ask: () => Promise<unknown>): AnswerWatch {
  const over = new AbortController();
  let askedAt: number | undefined;
  let worstMs = 0;
  const note = (): void => {
    if (askedAt !== undefined) worstMs = Math.max(worstMs, performance.now() - askedAt);
  };
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      askedAt = performance.now();
      await ask().catch(() => undefined);
      note();
      askedAt = undefined;
      await pause(periodMs, undefined, { signal: over.signal });
    }
  };
  watch().catch(() => undefined);
  return {
    takeMs() {
      note();
      const tookMs = worstMs;
      worstMs = 0;
      return tookMs;
    },
    [Symbol.dispose]: () => over.abort(),
  };
}
