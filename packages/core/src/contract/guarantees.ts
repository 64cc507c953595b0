/**
 * The assumptions that a guarantee can depend on:
 * - `drift`: the rates of the members' monotonic clocks differ by no more than the bound in the
 *   options;
 * - `skew`: their wall clocks differ by no more than the bound in the options;
 * - `wall-clocks`: once a majority of the voters has restarted at one time, tokens stay in order
 *   because wall clocks differ by less than T; exclusivity does not depend on it (T1);
 * - `session`: the brokers end the session of a member that is silent for the session time-out, and
 *   not earlier;
 * - `durable-store`: the store loses nothing that it acknowledged;
 * - `lossless-failover`: nor does a fail-over to a replica, although replication is asynchronous;
 * - `no-suspend`: the machine does not sleep, or its monotonic clock runs on meanwhile (H6);
 * - `death-is-final`: no living process closes both sockets by which its guard observes it (L13).
 */
export type Assumption =
  | 'drift'
  | 'skew'
  | 'wall-clocks'
  | 'session'
  | 'durable-store'
  | 'lossless-failover'
  | 'no-suspend'
  | 'death-is-final';

/** The guarantees of a leadership source under its options, as values that tests can check. */
export interface Guarantees {
  /** Whether at most one member leads a role at any moment, while the assumptions in `assumes` hold. */
  readonly exclusive: boolean;
  /**
   * Whether a later term always has a greater token (T1), as long as the store is durable;
   * `Term.token` describes what holds after a store was wiped. With `none`, tokens only distinguish
   * the terms of one member.
   */
  readonly tokens: 'ordered' | 'none';
  /**
   * `drained`: a successor waits until the predecessor's work has settled (H2). `overlapping`: the
   * predecessor's term ends once the successor leads (I1).
   */
  readonly handover: 'drained' | 'overlapping';
  /** The assumptions under which the guarantees hold. */
  readonly assumes: readonly Assumption[];
  /**
   * The longest time for which two members may lead one role, counted from the last change of the
   * member that should lead; 0 if `exclusive`. Milliseconds.
   */
  readonly overlapMsMax: number | 'unbounded';
  /**
   * The longest time from a leader's crash to the next leader. Milliseconds, without round trips
   * and event-loop delays.
   */
  readonly failoverMsMax: number | 'unbounded';
}
