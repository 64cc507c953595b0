// The rows of a group in a table of Postgres.
import {
  type Host,
  holderOf,
  parseRecord,
  type RowOutcome,
  type Rows,
  type RowsOpening,
  type ServerChange,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import type { Connections } from './connections.ts';
import { postgresError } from './errors.ts';
import type { PostgresOptions } from './options.ts';
import { channelOf, durably, onReplica, prepare, sqlName, type Table } from './table.ts';

/** The configuration of the rows. */
export interface PostgresRowsOptions
  extends Required<Pick<PostgresOptions, 'group' | 'thresholdMs' | 'create' | 'notifications'>> {
  readonly table: Table;
}

/** Returns the rows of a group, over the connections of one member. */
export function postgresRows(
  connections: Connections,
  options: PostgresRowsOptions,
  host: Host,
): Rows {
  const server = new PostgresRows(connections, options);
  return serverRows(server, { ...options, host, toError: postgresError });
}

class PostgresRows implements ServerRows {
  readonly name: string;
  readonly listen?: NonNullable<ServerRows['listen']>;
  readonly #connections: Connections;
  readonly #options: PostgresRowsOptions;
  /** Whether an observer found no table, and waits for a member that creates it. */
  #isMissing = false;

  constructor(connections: Connections, options: PostgresRowsOptions) {
    this.name = `table "${options.table.schema}.${options.table.table}"`;
    this.#connections = connections;
    this.#options = options;
    const { listen } = connections;
    if (listen !== undefined)
      this.listen = (listener, signal) =>
        listen(channelOf(this.#options.table, this.#options.group), listener, signal);
  }

  async open({ signal, mayCreate }: RowsOpening): Promise<undefined> {
    const { table, create } = this.#options;
    const missing = mayCreate ? (create ? 'create' : 'refuse') : 'wait';
    this.#isMissing = !(await prepare(this.#connections, table, missing, signal));
  }

  async inspect(signal: AbortSignal): Promise<undefined> {
    await prepare(this.#connections, this.#options.table, 'wait', signal);
  }

  async list(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const { table, group } = this.#options;
    if (this.#isMissing) await this.open({ signal, mayCreate: false });
    if (this.#isMissing) return new Map();
    const sql = `select r.name, r.text, s.replica from (select pg_is_in_recovery()::text as replica) s left join ${sqlName(table)} r on r.group_name = $1`;
    const rows = await this.#connections.query(sql, [group], signal);
    // An old state would look like a store that went back.
    if (rows[0]?.['replica'] !== 'false') throw onReplica();
    const present = rows.filter((row) => row['name'] !== null);
    return new Map(present.map((row) => [String(row['name']), String(row['text'])]));
  }

  async replace(change: ServerChange, signal: AbortSignal): Promise<RowOutcome> {
    const statement = this.#statement(change);
    const [row] = await this.#connections.query(...statement, signal);
    if (row?.['done'] === 'true') return { isDone: true };
    // The text is that of the snapshot of the statement. If a concurrent transaction changed the
    // row after it, that text is the expected one, and what the row holds now is unknown.
    const found = row?.['found'] as string | null;
    return { isDone: false, ...(found !== change.expected && { found }) };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /**
   * Returns the statement that changes one row, and its parameters. It is a transaction of its own.
   * If another transaction changes the row meanwhile, `update` and `delete` wait for that one and
   * compare the new version.
   */
  #statement({ name, expected, text, notification }: ServerChange): [string, (string | null)[]] {
    const { group } = this.#options;
    const table = sqlName(this.#options.table);
    const values: (string | null)[] = [group, name];
    const value = (one: string | null): string => `$${values.push(one)}`;
    const isRow = 'group_name = $1 and name = $2';
    const written = text === null ? '' : `${value(text)}, ${value(tokenIn(text))}::bigint`;
    const change =
      text === null
        ? `delete from ${table} where ${isRow} and text = ${value(expected)}`
        : expected === null
          ? `insert into ${table} (group_name, name, text, token) values ($1, $2, ${written}) on conflict (group_name, name) do nothing`
          : `update ${table} set (text, token) = row(${written}) where ${isRow} and text = ${value(expected)}`;
    const notified =
      notification === undefined
        ? 'null'
        : `(select pg_notify(${value(channelOf(this.#options.table, this.#options.group))}, ${value(notification)})::text from changed)`;
    const found = `(select text from ${table} where ${isRow}) as found`;
    const results = `exists (select from changed)::text as done, ${found}, ${notified} as notified`;
    return [
      `with changed as (${change} returning 1) select ${results}, ${durably} as durable`,
      values,
    ];
  }
}

/** Returns the token of the term whose leader holds the lease by this row; `null` for other rows. */
function tokenIn(text: string): string | null {
  const record = parseRecord(text) ?? null;
  return record !== null && holderOf(record) !== undefined ? String(record.token) : null;
}
