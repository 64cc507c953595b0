import type { LossReason } from './leadership.ts';
import type { LeadershipErrorCode } from './leadership-error.ts';

/** What can happen in a source, for the log behind every view. */
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

/** One line of the log. `JSON.stringify` works on it: tokens become decimal strings, errors objects. */
export interface LeadershipEvent {
  /** The wall clock, in milliseconds since 1970. For people. */
  readonly at: number;
  readonly kind: LeadershipEventKind;
  readonly member: string;
  readonly partition?: number;
  readonly token?: bigint;
  /** For `leader`: who; `undefined` there means nobody is known. */
  readonly leader?: string;
  /** For `fenced`: why the term was lost. */
  readonly reason?: LossReason;
  /** For `refused`, `trouble`, `warning` and `mended`: what it is. */
  readonly code?: LeadershipErrorCode;
  /** For the same: the sentence that `health()` shows. */
  readonly message?: string;
  /** For the same: the error underneath, as it was thrown. */
  readonly cause?: unknown;
}
