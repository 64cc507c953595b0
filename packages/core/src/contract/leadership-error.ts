import { errorJson } from './error-json.ts';

/** Every way this library fails, closed: match on it. What each means and what to do: `docs/errors.md`. */
export type LeadershipErrorCode =
  | 'invalid-options'
  | 'unknown-backend'
  | 'unsupported-runtime'
  | 'unauthorized'
  | 'unreachable'
  | 'misconfigured-backend'
  | 'partitions-differ'
  | 'assumption-broken'
  | 'leaderless'
  | 'no-quorum'
  | 'displaced'
  | 'work-failed'
  | 'slow-drain'
  | 'revoked'
  | 'fenced'
  | 'closed';

/** The one error class. `code` says which kind, the message what to do, `cause` what was underneath. */
export class LeadershipError extends Error {
  override readonly name = 'LeadershipError';
  readonly code: LeadershipErrorCode;

  constructor(code: LeadershipErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** The error as plain data. Without it `JSON.stringify` leaves out the message. */
  toJSON(): Readonly<Record<string, unknown>> {
    return errorJson(this);
  }
}
