// Maps the errors of a server, of its client and of the connection to this library's errors. An
// error is final if only a person can fix it, and `unreachable` if it may pass with time.
import { LeadershipError, type LeadershipErrorCode } from '../contract/leadership-error.ts';

/** A pattern of `CODE message`, the code of the error that it becomes, and how to fix it. */
export type ErrorMeaning = readonly [pattern: RegExp, code: LeadershipErrorCode, advice: string];

/** Maps an error about `name`. The original error is its cause. */
export type ErrorMapper = (error: unknown, name: string) => LeadershipError;

/** An error that a server has answered, with the code that the patterns of {@link ErrorMeaning} see. */
export class ReplyError extends Error {
  /** The code of the server, such as `http-404`. */
  readonly code: number | string;

  /** `code`: the code of the server, such as `http-404`. */
  constructor(code: number | string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Returns what the errors of Node mean whose certificates are in the option `tls`. They belong at the end
 * of a list, because many other errors contain the word.
 */
export function tlsMeanings(): readonly ErrorMeaning[] {
  const final = 'misconfigured-backend';
  return [
    [/^ERR_OSSL_/, final, 'the certificates or the key in tls cannot be read: they must be PEM'],
    [/ALERT/, final, 'the server refuses the certificate of this client: set tls.cert and tls.key'],
    [/CERT|SIGNATURE/, final, 'the certificate of the server is not trusted: set tls.ca'],
  ];
}

/**
 * Returns a function that maps errors by the first pattern that matches. `messageOf` returns the
 * message of an error; it may be empty.
 */
export function errorMapper(
  meanings: readonly ErrorMeaning[],
  messageOf: (error: unknown) => string = messageIn,
): ErrorMapper {
  return (error, name) => {
    if (error instanceof LeadershipError)
      return new LeadershipError(error.code, `${name}: ${error.message}`, { cause: error.cause });
    const message = messageOf(error);
    const text = `${codeIn(error)} ${message}`;
    const [, code = 'unreachable', advice] = meanings.find(([pattern]) => pattern.test(text)) ?? [];
    const sentence = advice === undefined ? message || codeIn(error) : `${advice} (${message})`;
    return new LeadershipError(code, `${name}: ${sentence}`, { cause: error });
  };
}

/** Returns the code of an error, as text. */
export function codeIn(error: unknown): string {
  return String((error as { readonly code?: unknown } | undefined)?.code);
}

function messageIn(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Creates the error of a setting that only a person can correct. */
export function misconfigured(sentence: string, options?: ErrorOptions): LeadershipError {
  return new LeadershipError('misconfigured-backend', sentence, options);
}
