import { after, type Clock, type Instant } from '@leadership/core/backend';
import { isNamed, isSaid } from './errors.ts';

/** Tells a coordinator that is only just starting from one that does not work. */
export interface StartingPatience {
  /** Whether this may still be a coordinator that is starting: no trouble yet. */
  covers(error: unknown): boolean;
  /** It works: the next time counts from its own beginning. */
  reset(): void;
}

/**
 * A coordinator that was just started, or is where another one was, loads its groups, and on new brokers their topic has yet to be made.
 * That takes a second or two, and is trouble only where it goes on for longer than `limitMs`.
 */
export function startingPatience(clock: Clock, limitMs: number): StartingPatience {
  let since: Instant | undefined;
  return {
    covers(error) {
      if (!isOfStarting(error)) return false;
      since ??= clock.now();
      return clock.now() < after(since, limitMs);
    },
    reset() {
      since = undefined;
    },
  };
}

function isOfStarting(error: unknown): boolean {
  // KafkaJS' own word for a coordinator that none of the brokers knows yet.
  return isSaid(error, 'GROUP_LOAD_IN_PROGRESS', 'GROUP_COORDINATOR_NOT_AVAILABLE') || isNamed(error, 'KafkaJSGroupCoordinatorNotFound');
}
