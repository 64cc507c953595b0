/**
 * The assumptions that a guarantee can depend on. `no-suspend`: the host's clocks continue while it
 * sleeps (H6).
 */
export type Assumption = 'drift' | 'skew' | 'session' | 'durable-store' | 'no-suspend';

/** The guarantees of a source under its options, as values that tests can measure. */
export interface Guarantees {
  /** Whether at most one member leads a role at any moment, while `assumes` holds. */
  readonly exclusive: boolean;
  /**
   * Whether a later term always has a greater token (T1). Depends on `durable-store`, and on the
   * file backend only on one of two places that are wiped separately; `Term.token` describes what
   * holds after a store was wiped. With `none`, tokens only distinguish the terms of
   * one member.
   */
  readonly tokens: 'ordered' | 'none';
  /**
   * Whether a successor waits for the predecessor's work (H2). `overlapping`: the predecessor is
   * revoked once the successor leads (I1).
   */
  readonly handover: 'drained' | 'overlapping';
  /** The assumptions under which the guarantees hold. */
  readonly assumes: readonly Assumption[];
  /**
   * The longest time for which two members may lead one role, counted from the latest decision
   * about which of them should. Milliseconds.
   */
  readonly overlapMsMax: number | 'unbounded';
  /**
   * The longest time from a leader's crash to the next leader. Milliseconds, without round trips
   * and event-loop delays.
   */
  readonly failoverMsMax: number | 'unbounded';
}
