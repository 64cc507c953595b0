// The table in which all groups keep their rows: its name, how it is created, and what is checked
// before it is used.
import { checkVersion, type Inspection, misconfigured } from '@leadership/core/adapter';
import type { Connections, ResultRow } from './connections.ts';

/** The name of a table. */
export interface TableName {
  /**
   * The name of the table in the database of the connection. Several groups may share it. Default
   * `leadership`.
   */
  readonly table?: string | undefined;
}

/** The name that a table has unless another one is set. */
export const defaultTable = 'leadership';

/** The longest names, in bytes of UTF-8: an index takes 3,072. */
export const bytesMax = { group: 1000, row: 2000, table: 64 } as const;

/** Returns a name as SQL. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/**
 * Returns a text as SQL. In hexadecimal digits it means the same whatever the modes and the character
 * set of the connection.
 */
export function literal(text: string): string {
  return `x'${Buffer.from(text).toString('hex')}'`;
}

/**
 * Returns the SQL that creates the table, for projects that create tables in migrations. Members
 * that find the table need no right to create one.
 */
export function mysqlMigration({ table = defaultTable }: TableName = {}): string {
  // Names are bytes, because the collations that both servers have ignore blanks at the end.
  return `create table if not exists ${quoted(table)} (
  group_name varbinary(${bytesMax.group}) not null,
  name varbinary(${bytesMax.row}) not null,
  text mediumtext character set utf8mb4 collate utf8mb4_bin not null,
  token bigint unsigned,
  stamp bigint unsigned not null default 0,
  primary key (group_name, name)
) engine=InnoDB row_format=dynamic`;
}

/** The oldest releases that read past locked rows and convert JSON to rows, by the name of the server. */
const oldest = { MariaDB: '10.6', MySQL: '8.0' } as const;

/** The columns and their types. */
const columns = [
  ...['group_name varbinary', 'name varbinary', 'text mediumtext/utf8mb4'],
  ...['token bigint', 'stamp bigint'],
];

/** What to do about a missing table. An observer waits. */
export type IfMissing = 'create' | 'refuse' | 'wait';

/**
 * Checks the server and the table. Resolves with whether the table is missing, and with what weakens a
 * guarantee.
 * @throws LeadershipError `misconfigured-backend` if the server or the table cannot be used
 */
export async function prepare(
  connections: Connections,
  table: string,
  ifMissing: IfMissing,
  signal: AbortSignal,
): Promise<Inspection> {
  const look = async (): Promise<ResultRow> =>
    (await connections.query(inspectionOf(table), signal))[0] ?? {};
  let found = await look();
  checkServer(found);
  if (found['type'] === null) {
    if (ifMissing === 'wait') return { isMissing: true };
    const advice = 'run the SQL that mysqlMigration() returns, or set create';
    if (ifMissing === 'refuse') throw misconfigured(`the table does not exist: ${advice}`);
    await connections.query(`${mysqlMigration({ table })}; select 1`, signal);
    found = await look();
  }
  checkTable(table, found);
  const { flushed } = found;
  if (String(flushed) === '1') return {};
  return {
    weakness: `innodb_flush_log_at_trx_commit is ${flushed}, so a crash loses changes of the last second, and the group then waits for T_max: set it to 1`,
  };
}

function inspectionOf(table: string): string {
  const here = `where table_schema = database() and table_name = ${literal(table)}`;
  return `set @leadership_made = null; select
  version() as version, database() as place, @@autocommit as autocommit,
  concat('', @@global.read_only) as read_only,
  0 /*M!100300 + (@@wsrep_on and @@global.wsrep_provider <> 'none') */ as galera,
  @@global.innodb_flush_log_at_trx_commit as flushed,
  (select table_type from information_schema.tables ${here}) as type,
  (select engine from information_schema.tables ${here}) as engine,
  (select group_concat(lower(column_name), ' ', lower(data_type), coalesce(concat('/', character_set_name), ''))
    from information_schema.columns ${here}) as columns,
  exists (select 1 from information_schema.statistics ${here} and non_unique = 0 group by index_name
    having group_concat(lower(column_name) order by lower(column_name)) = 'group_name,name'
      and max(sub_part) is null) as keyed`;
}

function checkServer(found: ResultRow): void {
  const version = String(found['version']);
  const name = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
  checkVersion(name, version, oldest[name]);
  refuseIf(
    isOn(found['galera']),
    'the server is a node of a Galera cluster, where a commit may have no effect although it was acknowledged, so two members could lead: use a server with replication',
  );
  refuseIf(found['place'] === null, 'the connection names no database: set connection.database');
  checkConnected(found['read_only'], found['autocommit']);
}

/**
 * Refuses a connection that shows an old state.
 * @throws LeadershipError `misconfigured-backend`
 */
export function checkConnected(readOnly: unknown, autocommit: unknown): void {
  refuseIf(
    isOn(readOnly),
    'the server is read-only (read_only is on), as a replica, which may lag: connect to the primary, by an address that follows it',
  );
  refuseIf(
    !isOn(autocommit),
    'autocommit is 0 on the connection, so every reading would show the state of the first one: set it to 1 on the connections that query uses',
  );
}

/** Checks what the guarantees rest on. */
function checkTable(table: string, found: ResultRow): void {
  const { type, engine } = found;
  const remedy = `Run: ALTER TABLE ${quoted(table)}`;
  const present = String(found['columns']).split(',');
  const strange = columns.filter((column) => !present.includes(column));
  refuseIf(type !== 'BASE TABLE', 'the name is that of a view: set another name in table');
  refuseIf(
    engine !== 'InnoDB',
    `the engine of the table is ${engine}, which has no transactions. ${remedy} ENGINE=InnoDB`,
  );
  refuseIf(
    strange.length > 0,
    `the table has other columns than ${strange.join(', ')}: set another name in table, or create it with the SQL that mysqlMigration() returns`,
  );
  refuseIf(
    !isOn(found['keyed']),
    `the table has no unique key on (group_name, name), so two members could both create a row. ${remedy} ADD PRIMARY KEY (group_name, name)`,
  );
}

function refuseIf(isWrong: boolean, sentence: string): void {
  if (isWrong) throw misconfigured(sentence);
}

/** Returns whether a variable of the server is on. */
export function isOn(value: unknown): boolean {
  return !['0', 'OFF', 'null'].includes(String(value));
}
