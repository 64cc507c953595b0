// How long a member waits for a broker's answer.
import type { Clock } from '@leadership/core/adapter';
import { ResponseTimeoutError } from './response-timeout.ts';

/** A time limit for answers, which adapts to the latest ones. */
export interface AdaptiveTimeout {
  limitMs(): number;
  /**
   * Reports an answer, and how long it took beyond the wait that was requested, in milliseconds.
   */
  answered(lateMs: number): void;
  /** Reports that no answer arrived in time. */
  timedOut(): void;
}

/** The greatest limit, as a multiple of the first one. */
const growthMax = 10;

/**
 * Returns a limit that starts at `baseMs` and doubles after each missing answer: repeating a
 * request to an overloaded broker would keep it overloaded. Each answer within half of the limit
 * halves it.
 */
export function adaptiveTimeout(baseMs: number): AdaptiveTimeout {
  let limitMs = baseMs;
  return {
    limitMs: () => limitMs,
    answered(lateMs) {
      if (lateMs < limitMs / 2) limitMs = Math.max(baseMs, limitMs / 2);
    },
    timedOut() {
      limitMs = Math.min(growthMax * baseMs, 2 * limitMs);
    },
  };
}

/**
 * Sends a request with the current limit, and adapts the limit to the time that the answer took beyond
 * `waitMs`, the wait that was requested.
 */
export async function askPatiently<T>(
  clock: Clock,
  timeout: AdaptiveTimeout,
  waitMs: number,
  ask: (limitMs: number) => Promise<T>,
): Promise<T> {
  const askedAt = clock.now();
  try {
    const answer = await ask(timeout.limitMs());
    timeout.answered(clock.now() - askedAt - waitMs);
    return answer;
  } catch (error) {
    if (error instanceof ResponseTimeoutError) timeout.timedOut();
    throw error;
  }
}
