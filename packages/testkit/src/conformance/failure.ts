// The failures of a check. Only a `Inconclusive` result may be retried on a starved machine.

/** Two members led at once, or a token did not grow. This failure is never retried. */
export class Unsafe extends Error {
  override readonly name = 'Unsafe';
}

/**
 * An expected event did not occur in time. This failure is never retried, because the time limit is
 * generous.
 */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';

  constructor(what: string, ms: number) {
    super(`waited ${Math.round(ms)} ms without success: ${what}`);
  }
}

/** A term ended or an operation took too long. On a starved machine, the result is inconclusive. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive';
}
