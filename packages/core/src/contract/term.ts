/** One unbroken reign over a partition (T3). */
export interface Term {
  readonly partition: number;
  /**
   * Grows with every term (T1): it is the greatest token known plus one, or the wall clock in microseconds where that is greater.
   * Known is what the store keeps and what the new leader has read in its life. So tokens grow as long as the store keeps its last
   * record or a member that read it lives. Once both are lost they grow if the new leader's wall clock is ahead of the wall clock by
   * which the lost term was numbered: a store that was wiped while a clock was ahead can number terms lower until that time comes. Write it with everything you write: a store that refuses lower ones is safe from zombies (T2).
   * Where `guarantees.tokens` is `none` it only tells this member's terms apart, and protects no store.
   */
  readonly token: bigint;
  /** When this member began to lead, by its wall clock. For people; nothing compares it. */
  readonly since: Date;
  /** Aborts when the term is ending, however it ends: stop at the next seam. Its reason is a `LeadershipError`, `revoked` or `fenced`. */
  readonly signal: AbortSignal;
  /** Aborts when belief is over: cancel what is in flight. Never before `signal`. */
  readonly fenced: AbortSignal;
  /** Whether this member leads in this term now: the deadline compared with the clock in the call (H5). */
  isCurrent(): boolean;
  /** Milliseconds of belief left now; 0 once it is over. */
  remainingMs(): number;
  /**
   * The barrier: an orderly end of the term waits for `done` (H2), for at most `drainTimeoutMs` (H3).
   * @throws LeadershipError `revoked` once what an orderly end waits for has settled, `fenced` once the term is over.
   */
  waitUntil(done: PromiseLike<unknown>): void;
  /** The term as plain data, its token as a decimal string. */
  toJSON(): TermJson;
}

/** A term as it goes into logs and over wires. */
export interface TermJson {
  readonly partition: number;
  readonly token: string;
  readonly since: string;
}
