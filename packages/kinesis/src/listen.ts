import { after, type BackOff, type Clock, follow, type Raised } from '@leadership/core/backend';
import { isFinal, toError } from './errors.ts';
import { followShards, type ShardFollowing, type ShardNews } from './follow-shards.ts';

/** How a stream is listened to. */
export interface Listening {
  readonly following: ShardFollowing;
  readonly clock: Clock;
  readonly backOff: BackOff;
  readonly troubles: Raised;
  /** So long what no waiting mends ends it, where it is the first that is known. Later it is a trouble. Milliseconds. */
  readonly refusesMs: number;
}

/** The trouble with the stream as a whole. */
const about = 'stream';

/**
 * Takes what comes until the signal aborts, and opens the stream again whenever it breaks. Resolves once it listens, or once it is known
 * that it will only later; rejects where it is refused.
 */
export function listen(listening: Listening, take: (news: ShardNews) => void, signal: AbortSignal): Promise<void> {
  const { clock, backOff, troubles, refusesMs } = listening;
  return new Promise((resolve, reject) => {
    // From then on nobody would hear of a rejection: what is refused later is a trouble, and tried again.
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      timer[Symbol.dispose]();
      resolve();
    };
    const timer = clock.wake(after(clock.now(), refusesMs), settle);
    // Kinesis was asked too much: that is no reason to wait.
    const following = { ...listening.following, hesitated: settle };
    const each = (news: ShardNews): void => {
      troubles.mend(about);
      settle();
      take(news);
    };
    const broke = (thrown: unknown): boolean => {
      const error = toError(thrown);
      const isRefused = refusesMs > 0 && !isSettled && isFinal(error);
      if (isRefused) reject(error);
      else troubles.raise(about, error);
      settle();
      return !isRefused;
    };
    void follow({ open: (until) => followShards(following, until), each, broke }, backOff, clock, signal).then(settle);
  });
}
