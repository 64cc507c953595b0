import { type BackOff, type Clock, follow, type Raised } from '@leadership/core/backend';
import { isFinal, toError } from './errors.ts';
import { followShards, type ShardFollowing, type ShardNews } from './follow-shards.ts';

/** How a stream is listened to. */
export interface Listening {
  readonly following: ShardFollowing;
  readonly clock: Clock;
  readonly backOff: BackOff;
  readonly troubles: Raised;
  /** Whether what no waiting mends ends it, where it is the first that is known. */
  readonly mayRefuse: boolean;
}

/** The trouble with the stream as a whole. */
const about = 'stream';

/**
 * Takes what comes until the signal aborts, and opens the stream again whenever it breaks. Resolves once it listens, or once it is known
 * that it will only later; rejects where it is refused.
 */
export function listen(listening: Listening, take: (news: ShardNews) => void, signal: AbortSignal): Promise<void> {
  const { following, clock, backOff, troubles, mayRefuse } = listening;
  return new Promise((resolve, reject) => {
    // From then on nobody would hear of a rejection: what is refused later is a trouble, and tried again.
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      resolve();
    };
    const each = (news: ShardNews): void => {
      troubles.mend(about);
      settle();
      take(news);
    };
    const broke = (thrown: unknown): boolean => {
      const error = toError(thrown);
      const isRefused = mayRefuse && !isSettled && isFinal(error);
      if (isRefused) reject(error);
      else troubles.raise(about, error);
      settle();
      return !isRefused;
    };
    void follow({ open: (until) => followShards(following, until), each, broke }, backOff, clock, signal).then(resolve);
  });
}
