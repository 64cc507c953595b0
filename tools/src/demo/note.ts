import type { Guarantees, Leadership, LeadershipEvent } from '@leadership/core';

/** What a member saw when it looked at itself. Evidence: `token` is there only if it led at `atNs`. */
export interface Look {
  readonly kind: 'look';
  /** The host's monotonic clock, read before looking: comparable between the processes of one host. Nanoseconds. */
  readonly atNs: bigint;
  readonly state: Leadership['state'];
  readonly token?: bigint;
  /** Belief left. Milliseconds. */
  readonly remainingMs: number;
  /** Who leads, as far as it has read. */
  readonly leader?: string;
  /** For how long its event loop stood still since its last look. Milliseconds. */
  readonly stallMs: number;
}

/** What a member tells the demo. It crosses a process boundary: plain data. */
export type Note =
  | { readonly kind: 'opened'; readonly atNs: bigint; readonly guarantees: Guarantees }
  | { readonly kind: 'event'; readonly atNs: bigint; readonly event: LeadershipEvent }
  | Look;

/** What the demo tells a member: give the role up in order, or end in order. */
export type Command = 'hand-over' | 'close';
