// Listens to a stream for the rows of a table, which the events only make faster.
import type { Clock } from '@leadership/core/adapter';
import { after, type BackOff, follow, type HealthReporter } from '@leadership/core/internal/engine';
import { isFinal, toError } from '../errors.ts';
import { followShards, type ShardFollowing, type ShardUpdate } from './follow-shards.ts';

/** How to listen to a stream. */
export interface Listening {
  readonly following: ShardFollowing;
  readonly clock: Clock;
  readonly backOff: BackOff;
  readonly troubles: HealthReporter;
  /**
   * During this time a final error rejects the promise, if it is the first outcome. A later error
   * is reported as a problem. Milliseconds.
   */
  readonly refusesMs: number;
}

/** The key of problems with the stream as a whole. */
const about = 'stream';

/**
 * Passes events to `take` until the signal aborts, and reopens the stream whenever it fails.
 * Resolves once the reader listens, or once it is clear that it will only listen later. Rejects if
 * the stream is refused.
 */
export function listen(
  listening: Listening,
  take: (update: ShardUpdate) => void,
  signal: AbortSignal,
): Promise<void> {
  const { clock, backOff, troubles, refusesMs } = listening;
  return new Promise((resolve, reject) => {
    // After this promise settles, a refusal cannot reject it: it is reported and retried.
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      timer[Symbol.dispose]();
      resolve();
    };
    const timer = clock.wake(after(clock.now(), refusesMs), settle);
    // Kinesis throttled a request. The caller does not wait for that to pass.
    const following = { ...listening.following, hesitated: settle };
    const each = (update: ShardUpdate): void => {
      troubles.mend(about);
      settle();
      take(update);
    };
    const broke = (thrown: unknown): boolean => {
      const error = toError(thrown);
      const isRefused = refusesMs > 0 && !isSettled && isFinal(error);
      if (isRefused) reject(error);
      else troubles.raise(about, error);
      settle();
      return !isRefused;
    };
    void follow(
      { open: (until) => followShards(following, until), each, broke },
      backOff,
      clock,
      signal,
    ).then(settle);
  });
}
