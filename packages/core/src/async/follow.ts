// Keeps an async iterable of a store open, for as long as a member takes part.
import type { Clock } from '../time/clock.ts';
import { type BackOff, retry } from './retry.ts';

/** A stream that is followed until its signal aborts, and reopened whenever it fails. */
export interface FollowOptions<T> {
  /** Opens the stream. The signal ends it. */
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  /** Receives one item. */
  readonly each: (item: T) => void;
  /**
   * Receives the error of a stream that failed or ended unexpectedly. Returns `false` to stop
   * following.
   */
  readonly broke: (error: unknown) => boolean;
  /** Called before the stream is reopened. */
  readonly reopened?: () => void;
}

/** Follows a stream until the signal aborts or `broke` returns `false`. Never rejects. */
export function follow<T>(
  { open, each, broke, reopened }: FollowOptions<T>,
  backOff: BackOff,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (succeeded: () => void): Promise<void> => {
    for await (const item of open(signal)) {
      if (signal.aborted) return;
      succeeded();
      each(item);
    }
  };
  return retry({ attempt, broke, ...(reopened && { again: reopened }) }, backOff, clock, signal);
}
