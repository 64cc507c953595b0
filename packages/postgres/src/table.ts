// The table in which all groups keep their rows: its name, how it is created, and what is checked
// before it is used.
import { createHash } from 'node:crypto';
import type { LeadershipError } from '@leadership/core';
import { misconfigured } from '@leadership/core/adapter';
import type { Connections, ResultRow } from './connections.ts';

/** The name of a table. */
export interface TableName {
  /** The schema of the table. Default `public`. */
  readonly schema?: string | undefined;
  /** The name of the table. Several groups may share it. Default `leadership`. */
  readonly table?: string | undefined;
}

/** A table with its defaults applied. */
export type Table = Readonly<Record<'schema' | 'table', string>>;

/**
 * The oldest release that the Postgres project still supports. Its major version, and how the
 * server reports it.
 */
const oldest = { major: 15, number: 150_000 };

/** Applies the defaults. The search path plays no part: members with other paths elect together. */
export function tableOf({ schema = 'public', table = 'leadership' }: TableName): Table {
  return { schema, table };
}

/** Returns the name of the table as SQL. */
export function sqlName({ schema, table }: Table): string {
  return `${quoted(schema)}.${quoted(table)}`;
}

/** Returns the channel of a group. Names of channels are limited to 63 bytes. */
export function channelOf({ schema, table }: Table, group: string): string {
  const place = JSON.stringify([schema, table, group]);
  return `leadership_${createHash('sha256').update(place).digest('hex').slice(0, 32)}`;
}

/**
 * SQL that makes the transaction of its statement durable. A commit that only the memory of the
 * server holds is lost with it, so that an old term could come back.
 */
export const durably: string = `case when current_setting('synchronous_commit') in ('off', 'local') then set_config('synchronous_commit', 'on', true) end`;

/**
 * Returns the SQL that creates the table, for projects that create tables in migrations. Members
 * that find the table need no right to create one.
 */
export function postgresMigration(name: TableName = {}): string {
  const table = tableOf(name);
  // The order of names plays no part, so their collation is the one that no upgrade changes.
  // The token is a part of a unique key: Postgres then lets `fence` lock it against a new term,
  // and not against a renewal. Half of each page is left for the next version of its rows.
  return `create table if not exists ${sqlName(table)} (
  group_name text collate "C" not null,
  name text collate "C" not null,
  text text not null,
  token bigint,
  primary key (group_name, name),
  unique (group_name, name, token)
) with (fillfactor = 50)`;
}

/** The key that makes a change of a row atomic, and the one that lets `fence` lock a term. */
const rowKey = ['group_name', 'name'];
const termKey = [...rowKey, 'token'];

/**
 * Returns SQL that is true if `table`, an expression of type `regclass`, has a unique key of exactly
 * these columns that Postgres enforces at once for all rows.
 */
function hasKey(table: string, columns: readonly string[]): string {
  const names = [...columns].sort().map((name) => `'${name}'`);
  return `exists (select from pg_index i where i.indrelid = ${table}
    and i.indisunique and i.indimmediate and i.indisvalid and i.indislive
    and i.indpred is null and i.indexprs is null
    and array[${names.join()}] = array(select a.attname::text from pg_attribute a
      where a.attrelid = i.indrelid and a.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1])
      order by a.attname::text collate "C"))`;
}

/** Returns SQL that is true if the key of terms exists. The parameter is the SQL name of the table. */
export function hasTermKey(parameter: string): string {
  return hasKey(`${parameter}::text::regclass`, termKey);
}

/** Creates the error of a table without the key of terms. */
export function withoutTermKey(table: Table): LeadershipError {
  return misconfigured(
    `the table has no valid unique key on (${termKey.join(', ')}), so a new term does not wait for a transaction with fence(). Run: ALTER TABLE ${sqlName(table)} ADD UNIQUE (${termKey.join(', ')})`,
  );
}

/** What to do about a missing table. An observer waits. */
export type IfMissing = 'create' | 'refuse' | 'wait';

/**
 * Checks the server and the table. Resolves with whether the table exists.
 * @throws LeadershipError `misconfigured-backend` if the server or the table cannot be used
 */
export async function prepare(
  connections: Connections,
  table: Table,
  ifMissing: IfMissing,
  signal: AbortSignal,
): Promise<boolean> {
  const look = async (): Promise<ResultRow> =>
    (await connections.query(inspection, [table.schema, table.table], signal))[0] ?? {};
  const found = await look();
  checkServer(found, ifMissing === 'wait');
  if (found['kind'] !== null) return checkTable(table, found);
  if (ifMissing === 'wait') return false;
  if (ifMissing === 'refuse')
    throw misconfigured(
      `the table does not exist: run the SQL that postgresMigration() returns, or set create`,
    );
  await connections.query(postgresMigration(table), [], signal).catch(unlessCreated);
  return checkTable(table, await look());
}

const inspection = `select
  current_setting('server_version_num') as version,
  current_setting('server_version') as release,
  current_setting('server_encoding') as encoding,
  pg_is_in_recovery()::text as replica,
  current_setting('transaction_read_only') as read_only,
  t.relkind::text as kind,
  t.relpersistence::text as persistence,
  (select string_agg(c.name, ', ') from (values ('group_name', 'text'), ('name', 'text'),
      ('text', 'text'), ('token', 'bigint')) as c (name, type)
    left join pg_attribute a on a.attrelid = t.oid and a.attname = c.name and not a.attisdropped
    left join pg_collation l on l.oid = a.attcollation
    where a.attname is null or case c.type when 'text' then a.atttypid not in ('text'::regtype, 'varchar'::regtype)
      or not l.collisdeterministic else a.atttypid <> 'bigint'::regtype end) as strange,
  ${hasKey('t.oid', rowKey)}::text as row_key,
  ${hasKey('t.oid', termKey)}::text as term_key
  from (values (1)) as one
  left join (pg_class t join pg_namespace n on n.oid = t.relnamespace and n.nspname = $1)
    on t.relname = $2`;

function checkServer(found: ResultRow, isObserver: boolean): void {
  if (Number(found['version']) < oldest.number)
    throw misconfigured(
      `the server is Postgres ${found['release']}, but ${oldest.major} is the oldest that is supported: upgrade it`,
    );
  if (found['replica'] === 'true') throw onReplica();
  if (found['read_only'] === 'on' && !isObserver)
    throw misconfigured(
      'transactions are read-only: set default_transaction_read_only to off for this user and database',
    );
  if (found['encoding'] !== 'UTF8')
    throw misconfigured(
      `the encoding of the database is ${found['encoding']}, and cannot store every name: use a database with UTF8`,
    );
}

/** Checks what the guarantees rest on. Returns whether the table exists. */
function checkTable(table: Table, found: ResultRow): boolean {
  const { kind, persistence, strange } = found;
  if (kind === null) return false;
  if (kind !== 'r' && kind !== 'p')
    throw misconfigured(
      'the name is that of a view or of another object: set another name in table',
    );
  if (persistence === 'u')
    throw misconfigured(
      'the table is unlogged and empty after a crash of the server: run ALTER TABLE … SET LOGGED',
    );
  if (strange !== null)
    throw misconfigured(
      `the table has other columns: ${strange} must have the type and a deterministic collation as in the SQL that postgresMigration() returns; set another name in table, or create it with that SQL`,
    );
  if (found['row_key'] !== 'true')
    throw misconfigured(
      `the table has no valid unique key on (${rowKey.join(', ')}), so two members could both create a row. Run: ALTER TABLE ${sqlName(table)} ADD PRIMARY KEY (${rowKey.join(', ')})`,
    );
  if (found['term_key'] !== 'true') throw withoutTermKey(table);
  return true;
}

/** Creates the error of a read or a write that a replica answered. */
export function onReplica(): LeadershipError {
  return misconfigured(
    'the server is a replica, which is read-only and may lag: connect to the primary, by an address that follows it',
  );
}

/**
 * Ignores that another member has just created the table. Postgres checks `if not exists` before it
 * takes a lock, so the loser of that race fails at a key of the catalog.
 */
function unlessCreated(error: unknown): void {
  const { code } = error as { readonly code?: unknown };
  // unique_violation, duplicate_table, duplicate_object
  if (!['23505', '42P07', '42710'].includes(String(code))) throw error;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
