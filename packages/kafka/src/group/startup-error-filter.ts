// Keeps health quiet while a broker starts.
import type { Clock, Instant } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { hasErrorType, isNamed } from '../errors.ts';

/** Distinguishes a coordinator that is still starting from one that has failed. */
export interface StartupErrorFilter {
  /**
   * Returns whether the error may come from a coordinator that is still starting, so that it is not
   * reported.
   */
  covers(error: unknown): boolean;
  /** Reports that the coordinator works. The next start has the full limit again. */
  reset(): void;
}

/**
 * Returns a filter for the errors of a starting coordinator. A new coordinator first loads its
 * groups, and new brokers first create their topic. That takes a second or two; it counts as a
 * failure only after `limitMs`.
 */
export function startupErrorFilter(clock: Clock, limitMs: number): StartupErrorFilter {
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
  // KafkaJS's error for a coordinator that no broker knows yet.
  return (
    hasErrorType(error, 'GROUP_LOAD_IN_PROGRESS', 'GROUP_COORDINATOR_NOT_AVAILABLE') ||
    isNamed(error, 'KafkaJSGroupCoordinatorNotFound')
  );
}
