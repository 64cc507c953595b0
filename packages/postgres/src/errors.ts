// Maps the errors of Postgres and of the connection to this library's errors.
import { codeIn, type ErrorMapper, type ErrorMeaning, errorMapper } from '@leadership/core/adapter';

const final = 'misconfigured-backend';
const rights =
  'usage on the schema, and select, insert, update and delete on the table; to create the table, also create on the schema';
const other =
  'set another name in table, or create it with the SQL that postgresMigration() returns';
/** `pg` reports some errors without a code. */
const meanings: readonly ErrorMeaning[] = [
  [
    /no encryption|SSL off/,
    'unauthorized',
    'no line of pg_hba.conf admits this user without TLS: set connection.ssl, or add a line',
  ],
  [/^(28P01|28000) /, 'unauthorized', 'the server refuses the user: correct user and password'],
  [/password must be a/, 'unauthorized', 'the server asks for a password: set it'],
  [/^42501 /, 'unauthorized', `the user lacks a right: grant ${rights}`],
  [/^3D000 /, final, 'the database does not exist: create it'],
  [/^3F000 /, final, 'the schema does not exist: create it'],
  [/^42P01 /, final, 'the table does not exist any more: create it'],
  [/^(42703|42804|42883) /, final, `the table has other columns: ${other}`],
  [
    /^42P10 /,
    final,
    'the table has no valid unique key on (group_name, name): run ALTER TABLE … ADD PRIMARY KEY (group_name, name)',
  ],
  [/^25006 /, 'unreachable', 'the server is read-only, as a replica before its promotion'],
  [/^53300 /, 'unreachable', 'the server has no connection left: raise max_connections'],
  [/^55P03 /, 'unreachable', 'another transaction locks the row, such as an open one with fence()'],
  [/^57014 /, 'unreachable', 'the statement took too long'],
  [/^57P0[123] /, 'unreachable', 'the server is starting or shutting down'],
  [/^ERR_INVALID_URL /, final, 'the connection string is no URL: percent-encode user and password'],
  [/^ERR_OSSL_/, final, 'the certificates or the key in ssl cannot be read: they must be PEM'],
  [/CERT|SIGNATURE/, final, 'the certificate of the server is not trusted: set connection.ssl.ca'],
  [/does not support SSL/, final, 'the server does not support TLS: enable it, or leave out ssl'],
];

/** Maps an error of Postgres, of its client or of the connection. */
export const postgresError: ErrorMapper = errorMapper(meanings);

/** The plan that a connection keeps is outdated: a column has another type now. */
const outdatedPlan = '0A000';

/** Returns whether the server has answered with this error, and the connection can go on. */
export function isAnswer(error: unknown): boolean {
  const { severity } = error as { readonly severity?: unknown };
  const code = codeIn(error);
  return severity === 'ERROR' && /^[0-9A-Z]{5}$/.test(code) && code !== outdatedPlan;
}
