// The port to a store of claimed ticks. A tick is one planned start of a job.

/**
 * Keeps which ticks were claimed. All members of a schedule must use the same store. A schedule is
 * as exact as its store: `claim` must be atomic. A call without an answer for 20 s counts as failed.
 */
export interface TickStore {
  /**
   * Resolves with the token of the latest claim of the schedule, or `undefined` if no time was ever
   * claimed. A store has this method if it also refuses a lower token than the latest: the tokens of
   * the group then exceed those of the store, and sources whose tokens are not ordered are refused.
   */
  token?(name: string): PromiseLike<bigint | undefined>;
  /**
   * Resolves with the latest claimed time of the schedule, in milliseconds since 1970, or
   * `undefined` if no time was ever claimed.
   */
  latest(name: string): PromiseLike<number | undefined>;
  /**
   * Claims the time `at`, in milliseconds since 1970, for the leader with this token. Resolves with
   * whether this call has claimed it: `false` if the same or a later time was claimed before. A
   * store with the method `token` also refuses a lower token than the latest.
   */
  claim(name: string, at: number, token: bigint): PromiseLike<boolean>;
}
