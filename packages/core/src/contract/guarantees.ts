/** What a guarantee rests on. `no-suspend`: that the host's clocks run while it sleeps (H6). */
export type Assumption = 'drift' | 'skew' | 'session' | 'durable-store' | 'no-suspend';

/** What this source promises under these options, as values one can read and tests measure against. */
export interface Guarantees {
  /** Whether at most one member leads a role at any moment, while `assumes` holds. */
  readonly exclusive: boolean;
  /**
   * Whether a later term's token is always the greater one (T1). Rests on `durable-store`: see `Term.token` for what holds once
   * a store was wiped. With `none` tokens only tell one member's terms apart.
   */
  readonly tokens: 'ordered' | 'none';
  /** Whether a successor waits for the predecessor's work (H2). `overlapping`: the predecessor is asked to end once the successor leads (I1). */
  readonly handover: 'drained' | 'overlapping';
  readonly assumes: readonly Assumption[];
  /** Longest time for which two members may lead one role, from when it was last decided which of them should. Milliseconds. */
  readonly overlapMsMax: number | 'unbounded';
  /** Longest time from a leader's crash to the next leader. Milliseconds, round trips and event-loop stalls excluded. */
  readonly failoverMsMax: number | 'unbounded';
}
