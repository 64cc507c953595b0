/** One uninterrupted leadership of a partition (T3). */
export interface Term {
  /** The partition that this member leads. */
  readonly partition: number;
  /**
   * The fencing number of this term (T1). It is the greatest known token plus one, or the wall
   * clock in microseconds if that is greater. Write it with every write: a store that refuses lower
   * tokens is protected from former leaders (T2).
   *
   * Known tokens are those in the store and those that the new leader has read in its life. Tokens
   * therefore grow as long as the store keeps its last record, or a member that read it is alive.
   * The file backend also keeps the greatest token in a second place, `DIRECTORY/GROUP.floor`,
   * which outlives the group's own directory. The other stores keep no second copy: what wipes
   * their rows wipes every record of the group. If everything is lost, the wall clock decides.
   * If a clock was ahead when the lost token was issued, new tokens can be lower until the current
   * time reaches that value.
   *
   * If `guarantees.tokens` is `none`, the token only distinguishes the terms of this member and
   * protects no store.
   */
  readonly token: bigint;
  /** When this member began to lead, by its wall clock. For display only; no rule depends on it. */
  readonly since: Date;
  /**
   * Aborts when the term begins to end, in any way: stop at the next convenient point. Its reason
   * is a `LeadershipError`, `revoked` or `fenced`.
   */
  readonly signal: AbortSignal;
  /**
   * Aborts when this member no longer leads: cancel operations in flight. Never aborts before
   * `signal`.
   */
  readonly fenced: AbortSignal;
  /**
   * Returns whether this member leads in this term now. Compares the deadline with the clock in the
   * call (H5).
   */
  isCurrent(): boolean;
  /** Returns the milliseconds until the lease expires; 0 once the term is over. */
  remainingMs(): number;
  /**
   * Adds `done` to the barrier: an orderly end of the term waits for it (H2), for at most
   * `drainTimeoutMs` (H3).
   *
   * @throws LeadershipError `revoked` once the barrier has settled, `fenced` once the term is over.
   */
  waitUntil(done: PromiseLike<unknown>): void;
  /** Returns the term as plain data, with its token as a decimal string. */
  toJSON(): {
    /** The partition. */
    readonly partition: number;
    /** The fencing number, as a decimal string. */
    readonly token: string;
    /** When the member began to lead, as an ISO 8601 date. */
    readonly since: string;
  };
}
