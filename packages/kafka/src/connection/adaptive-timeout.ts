// How long a member waits for a broker's answer.

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
