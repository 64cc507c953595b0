// An adapter for SQLite, for processes on one host: the rows of a group in one table.
import type { LeadershipSource, SourceOptions } from '@leadership/core';
import {
  openSource,
  type RowChange,
  type Rows,
  resolveOptions,
  tableBackend,
} from '@leadership/core/adapter';

/** The part that this adapter uses of a database of `node:sqlite` or `better-sqlite3`. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): {
    all(...values: readonly string[]): unknown[];
    run(...values: readonly string[]): { readonly changes: number | bigint };
  };
}

/** The options of `sqliteLeadership`. */
export interface SqliteOptions extends SourceOptions {
  readonly database: Database;
}

/** Joins a group in a table of an SQLite database. */
export function sqliteLeadership({ database, ...common }: SqliteOptions): LeadershipSource {
  const options = resolveOptions(common);
  return openSource(
    tableBackend(options, () => sqliteRows(database, options.group)),
    options,
  );
}

const schema = `CREATE TABLE IF NOT EXISTS leadership
  (member_group TEXT, name TEXT, text TEXT NOT NULL, PRIMARY KEY (member_group, name))`;
const place = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'leadership'";
const selection = 'SELECT name, text FROM leadership WHERE member_group = ?';
const insertion = 'INSERT INTO leadership VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const condition = 'WHERE member_group = ? AND name = ? AND text = ?';

/** Returns the rows of one group. Each statement is atomic, so each is a compare-and-set. */
export function sqliteRows(database: Database, group: string): Rows {
  const run = (sql: string, ...values: readonly string[]): boolean =>
    Number(database.prepare(sql).run(...values).changes) === 1;
  const replace = ({ name, expected, text }: RowChange): boolean => {
    if (expected === null) return run(insertion, group, name, text ?? '');
    if (text === null) return run(`DELETE FROM leadership ${condition}`, group, name, expected);
    return run(`UPDATE leadership SET text = ? ${condition}`, text, group, name, expected);
  };
  return {
    name: 'the database',
    open: async ({ mayCreate }) => void (mayCreate && database.exec(schema)),
    async list() {
      // An observer may come before the first member.
      if (database.prepare(place).all().length === 0) return new Map();
      const rows = database.prepare(selection).all(group) as { name: string; text: string }[];
      return new Map(rows.map(({ name, text }) => [name, text]));
    },
    replace: async (change) => ({ isDone: replace(change) }),
    close: () => undefined,
  };
}
