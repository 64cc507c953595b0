import { errorJson } from './error-json.ts';

/**
 * All error codes of this library. The set is closed, so code can switch on it.
 * `docs/reference/errors.md` describes each code and its remedy.
 */
export type LeadershipErrorCode =
  | 'invalid-options'
  | 'unknown-backend'
  | 'unsupported-runtime'
  | 'unauthorized'
  | 'unreachable'
  | 'misconfigured-backend'
  | 'partitions-differ'
  | 'unknown-group'
  | 'assumption-broken'
  | 'leaderless'
  | 'no-standby'
  | 'no-quorum'
  | 'displaced'
  | 'work-failed'
  | 'slow-drain'
  | 'revoked'
  | 'fenced'
  | 'closed';

/**
 * The only error class. `code` is the kind, the message names the remedy, `cause` is the underlying
 * error.
 */
export class LeadershipError extends Error {
  /** The name of the class, for logs. */
  override readonly name = 'LeadershipError';
  /** The kind of the error. */
  readonly code: LeadershipErrorCode;

  constructor(code: LeadershipErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /**
   * Converts the error to plain data. Without this method `JSON.stringify` would omit the message.
   */
  toJSON(): Readonly<Record<string, unknown>> {
    return errorJson(this);
  }
}
