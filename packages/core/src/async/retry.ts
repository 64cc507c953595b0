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
    waitMs = await pause(waitMs, backOff, clock, signal);
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
  for (let waitMs = backOff.firstMs; ; waitMs = await pause(waitMs, backOff, clock, signal)) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!broke(error)) throw error;
    }
  }
}

/** Waits for about that long. Resolves with the next delay. */
async function pause(
  waitMs: number,
  { lastMs, random }: BackOff,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  await sleep(clock, waitMs * (0.5 + random() / 2), signal);
  return Math.min(2 * waitMs, lastMs);
}
