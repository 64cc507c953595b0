/**
 * Keeps which ticks were claimed. All members of a schedule must use the same store. A schedule is
 * as exact as its store: `claim` must be atomic. A call without an answer for 20 s counts as failed.
 */
export interface TickStore {
  /**
   * Whether the store also refuses a lower token than the latest. Such a store refuses sources whose
   * tokens are not ordered.
   */
  readonly comparesTokens?: boolean;
  /**
   * Resolves with the latest claimed time of the schedule, in milliseconds since 1970, or
   * `undefined` if no time was ever claimed.
   */
  latest(name: string): PromiseLike<number | undefined>;
  /**
   * Claims the time `at`, in milliseconds since 1970, for the leader with this token. Resolves with
   * whether this call has claimed it: `false` if the same or a later time was claimed before. A
   * store that compares tokens also refuses a lower token than the latest.
   */
  claim(name: string, at: number, token: bigint): PromiseLike<boolean>;
}
