import type { Clock } from '../time/clock.ts';
import { sleep } from './sleep.ts';

/**
 * Back-off between attempts: doubles from the first to the last delay, with jitter, and starts over
 * after a success. Milliseconds.
 */
export interface BackOff {
  /** The delay after the first failure. Milliseconds. */
  readonly firstMs: number;
  /** The longest delay. Milliseconds. */
  readonly lastMs: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** An operation that should run until its signal aborts. */
export interface RetryOptions {
  /**
   * Runs for as long as possible. Calls `succeeded` whenever it makes progress, which resets the
   * back-off.
   */
  readonly attempt: (succeeded: () => void) => Promise<void>;
  /**
   * Receives the error of an attempt that threw or ended unexpectedly. Returns `false` to give up.
   */
  readonly broke: (error: unknown) => boolean;
  /** Called before the next attempt. */
  readonly again?: () => void;
}

/** Repeats an operation until the signal aborts or `broke` returns `false`. Never rejects. */
export async function retry(
  { attempt, broke, again }: RetryOptions,
  backOff: BackOff,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let waitMs = backOff.firstMs;
  const succeeded = (): void => {
    waitMs = backOff.firstMs;
  };
  const endedBy = async (): Promise<unknown> => {
    await attempt(succeeded);
    return new Error('operation ended unexpectedly');
  };
  while (!signal.aborted) {
    const error = await endedBy().catch((thrown: unknown) => thrown);
    if (signal.aborted || !broke(error)) return;
    await sleep(clock, waitMs * (0.5 + backOff.random() / 2), signal);
    waitMs = Math.min(2 * waitMs, backOff.lastMs);
    if (!signal.aborted) again?.();
  }
}

/**
 * Repeats an operation until it succeeds. Returns its result. Rejects with the error for which `broke`
 * returns `false`, or once the signal aborts.
 */
export async function retryUntilDone<T>(
  { attempt, broke }: { attempt(): Promise<T>; broke(error: unknown): boolean },
  backOff: BackOff,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  const done = new AbortController();
  const results: T[] = [];
  let cause: unknown;
  const attemptOnce = async (): Promise<void> => {
    results.push(await attempt());
    done.abort();
  };
  const noteAndAsk = (error: unknown): boolean => {
    cause = error;
    return broke(error);
  };
  const until = AbortSignal.any([signal, done.signal]);
  await retry({ attempt: attemptOnce, broke: noteAndAsk }, backOff, clock, until);
  for (const result of results) return result;
  signal.throwIfAborted();
  throw cause;
}
