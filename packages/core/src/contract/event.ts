/** What can happen in a source, for the log behind every view. */
export type LeadershipEventKind =
  | 'ready'
  | 'acquired'
  | 'revoked'
  | 'released'
  | 'fenced'
  | 'leader'
  | 'trouble'
  | 'warning'
  | 'mended'
  | 'closed';

/** One line of the log. Plain data but for the token. */
export interface LeadershipEvent {
  /** The wall clock, in milliseconds since 1970. For people. */
  readonly at: number;
  readonly kind: LeadershipEventKind;
  readonly member: string;
  readonly partition?: number;
  readonly token?: bigint;
  /** For `leader`: who; `undefined` there means nobody is known. */
  readonly leader?: string;
  readonly cause?: string;
}
