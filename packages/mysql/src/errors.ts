// Maps the errors of MySQL and MariaDB, of their client and of the connection to this library's errors.
import { type ErrorMapper, type ErrorMeaning, errorMapper } from '@leadership/core/adapter';

const final = 'misconfigured-backend';
const refused = 'the server refuses the user: correct user and password';
const rights =
  'the user lacks a right: grant select, insert, update and delete on the table; to create the table, also create';
const other =
  'the table has other columns: set another name in table, or create it with the SQL that mysqlMigration() returns';
const parsed =
  'the server does not know a statement: query must take several statements (multipleStatements), and the server must be MySQL 8.0 or MariaDB 10.6, or newer';
const statementMode =
  'binlog_format is STATEMENT, which cannot log READ COMMITTED: set it to ROW or MIXED';
const readOnly =
  'the server or the user is read-only: connect to the primary, by an address that follows it';
const untrusted =
  'the certificate of the server is not trusted, or names another host: set connection.ssl.ca';
const meanings: readonly ErrorMeaning[] = [
  [/^ER_(ACCESS_DENIED_\w*|HOST_NOT_PRIVILEGED|NOT_SUPPORTED_AUTH_MODE) /, 'unauthorized', refused],
  [/^ER_SECURE_TRANSPORT_REQUIRED /, 'unauthorized', 'the server demands TLS: set connection.ssl'],
  [/^ER_\w*ACCESS_DENIED_ERROR /, 'unauthorized', rights],
  [/^ER_BAD_DB_ERROR /, final, 'the database does not exist: create it'],
  [/^ER_NO_SUCH_TABLE /, final, 'the table does not exist any more: create it'],
  [/^ER_(BAD_FIELD_ERROR|NO_DEFAULT_FOR_FIELD) /, final, other],
  [/^ER_PARSE_ERROR /, final, parsed],
  [/BINLOG_STMT_MODE|BINLOG_FORMAT/, final, statementMode],
  [/^ER_(OPTION_PREVENTS|READ_ONLY_MODE|CANT_EXECUTE_IN_READ_ONLY)/, final, readOnly],
  [/^ER_NET_PACKET_TOO_LARGE /, final, 'max_allowed_packet is too small: set it to 16M or more'],
  [/^ER_\w*(CON_COUNT|CONNECTIONS|LIMIT)\w* /, 'unreachable', 'the server has no connection left'],
  [/^ER_LOCK_(WAIT_TIMEOUT|DEADLOCK) /, 'unreachable', 'another transaction locks the row'],
  [/^HANDSHAKE_NO_SSL_SUPPORT /, final, 'the server does not support TLS: enable it, or omit ssl'],
  [/^ERR_OSSL_/, final, 'the certificates or the key in ssl cannot be read: they must be PEM'],
  [/^HANDSHAKE_SSL_ERROR |CERT/, final, untrusted],
];

/** Maps an error of the server, of its client or of the connection. */
export const mysqlError: ErrorMapper = errorMapper(meanings);
