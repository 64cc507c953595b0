// Maps errors of Postgres and of the connection to this library's errors. An error is final if only
// a person can fix it, and `unreachable` if it may pass with time.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';

/** A pattern of `CODE message`, the kind of the error, and how to fix it. */
type Meaning = readonly [pattern: RegExp, code: LeadershipErrorCode, advice: string];

const final = 'misconfigured-backend';
const rights =
  'usage on the schema, and select, insert, update and delete on the table; to create the table, also create on the schema';
const other =
  'set another name in table, or create it with the SQL that postgresMigration() returns';
/** `pg` reports some errors without a code. */
const meanings: readonly Meaning[] = [
  [/^(28P01|28000) /, 'unauthorized', 'the server refuses the user: correct user and password'],
  [/password must be a/, 'unauthorized', 'the server asks for a password: set it'],
  [/^42501 /, 'unauthorized', `the user lacks a right: grant ${rights}`],
  [/^3D000 /, final, 'the database does not exist: create it'],
  [/^3F000 /, final, 'the schema does not exist: create it'],
  [/^42P01 /, final, 'the table does not exist any more: create it'],
  [/^(42703|42804|42883|42P10) /, final, `the table has other columns: ${other}`],
  [/^25006 /, 'unreachable', 'the server is read-only, as a replica before its promotion'],
  [/^53300 /, 'unreachable', 'the server has no connection left: raise max_connections'],
  [/^55P03 /, 'unreachable', 'another transaction locks the row, such as an open one with fence()'],
  [/^57014 /, 'unreachable', 'the statement took too long'],
  [/^57P0[123] /, 'unreachable', 'the server is starting or shutting down'],
  [/CERT|SIGNATURE/, final, 'the certificate of the server is not trusted: set connection.ssl.ca'],
  [/does not support SSL/, final, 'the server does not support TLS: enable it, or leave out ssl'],
];

/** Maps an error about `name` to a `LeadershipError`. The original error is its cause. */
export function postgresError(error: unknown, name: string): LeadershipError {
  if (error instanceof LeadershipError)
    return new LeadershipError(error.code, `${name}: ${error.message}`, { cause: error.cause });
  const said = error instanceof Error ? error.message : String(error);
  const asked = `${codeOf(error)} ${said}`;
  const [, code = 'unreachable', advice] = meanings.find(([pattern]) => pattern.test(asked)) ?? [];
  const sentence = advice === undefined ? said || codeOf(error) : `${advice} (${said})`;
  return new LeadershipError(code, `${name}: ${sentence}`, { cause: error });
}

/** Returns whether the server has answered with this error, and the connection can go on. */
export function isAnswer(error: unknown): boolean {
  const { severity } = error as { readonly severity?: unknown };
  return severity === 'ERROR' && /^[0-9A-Z]{5}$/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | undefined)?.code);
}

/** Creates the error of a setting that only a person can correct. */
export function misconfigured(sentence: string, options?: ErrorOptions): LeadershipError {
  return new LeadershipError('misconfigured-backend', sentence, options);
}
