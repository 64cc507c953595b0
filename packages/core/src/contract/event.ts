import type { LossReason } from './leadership.ts';
import type { LeadershipErrorCode } from './leadership-error.ts';
import type { TermEnd } from './term-end.ts';

/** The kinds of events in a source. */
export type LeadershipEventKind =
  | 'ready'
  | 'refused'
  | 'acquired'
  | 'revoked'
  | 'released'
  | 'fenced'
  | 'leader'
  | 'trouble'
  | 'warning'
  | 'mended'
  | 'closed';

/**
 * One event of a source. `JSON.stringify` accepts it: tokens become decimal strings, errors become
 * objects.
 */
export interface LeadershipEvent {
  /** The wall clock, in milliseconds since 1970. For display only. */
  readonly at: number;
  /** The kind of the event. */
  readonly kind: LeadershipEventKind;
  /** The name of the member whose source reports the event. */
  readonly member: string;
  /** The partition, if the event concerns a single one. */
  readonly partition?: number;
  /** For events of a term: its fencing number. */
  readonly token?: bigint;
  /** For `leader`: the member name; `undefined` if no leader is known. */
  readonly leader?: string;
  /**
   * For `leader`: how the term before ended, as far as it is known by now; absent if no earlier term is
   * known, or if the same one goes on.
   */
  readonly ended?: TermEnd;
  /**
   * For `leader`, if there is one again: how long none was known since the end of the term before was
   * read. Milliseconds.
   */
  readonly leaderlessMs?: number;
  /** For `fenced`: the reason. */
  readonly reason?: LossReason;
  /** For `refused`, `trouble`, `warning` and `mended`: the error code. */
  readonly code?: LeadershipErrorCode;
  /** For the same kinds: the message that `health()` shows. */
  readonly message?: string;
  /** For the same kinds: the underlying error, as it was thrown. */
  readonly cause?: unknown;
}
