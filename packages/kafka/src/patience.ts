/** How long an answer may take, by how long answers took lately. */
export interface Patience {
  limitMs(): number;
  /** An answer came, that long after it was due. Milliseconds. */
  answered(lateMs: number): void;
  /** None came in time. */
  unanswered(): void;
}

/** So many times as long as at first is waited at most. */
const growthMax = 10;

/**
 * Begins with `baseMs`, and doubles with every answer that does not come in time: whoever gives up an overloaded broker over and over, and
 * asks it the same again, keeps it overloaded. Goes back by half with each answer that takes less than half of what was allowed.
 */
export function patience(baseMs: number): Patience {
  let limitMs = baseMs;
  return {
    limitMs: () => limitMs,
    answered(lateMs) {
      if (lateMs < limitMs / 2) limitMs = Math.max(baseMs, limitMs / 2);
    },
    unanswered() {
      limitMs = Math.min(growthMax * baseMs, 2 * limitMs);
    },
  };
}
