import type { Guarantees, Leadership, LeadershipEvent } from '@leadership/core';

/**
 * The state of a member at one instant, as the member itself read it. `token` is present only if it
 * led at `atNs`.
 */
export interface Observation {
  readonly kind: 'observation';
  /**
   * Nanoseconds on the host's monotonic clock, which all its processes share. Read before the
   * member's state.
   */
  readonly atNs: bigint;
  readonly state: Leadership['state'];
  readonly token?: bigint;
  /** The remaining lease, in milliseconds. */
  readonly remainingMs: number;
  /** The leader that this member knows of. */
  readonly leader?: string;
  /** The total event-loop stall since the previous observation, in milliseconds. */
  readonly stallMs: number;
}

/** A message from a member to the demo. It crosses a process boundary, so it is plain data. */
export type MemberMessage =
  | { readonly kind: 'opened'; readonly atNs: bigint; readonly guarantees: Guarantees }
  | { readonly kind: 'event'; readonly atNs: bigint; readonly event: LeadershipEvent }
  | Observation;

/** A command from the demo to a member: resign, close the source, or lose and regain the network. */
export type Command = 'hand-over' | 'close' | 'cut' | 'mend';
