// An adapter for SQLite, for processes on one host: the rows of a group in one table of a file.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { LeadershipSource, SourceOptions } from '@leadership/core';
import {
  type BackendModule,
  check,
  type Exchanged,
  errorMapper,
  type Host,
  type Inspection,
  leaseBackend,
  mergeAddress,
  type NamedText,
  openSource,
  type RowChange,
  type Rows,
  resolveOptions,
  type ServerExchange,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';

/** The options of `sqliteLeadership`. */
export interface SqliteOptions extends SourceOptions {
  /** The path of the database file, on a local disk. It is created if it is missing. */
  readonly file: string;
}

/** Joins a group in a database file. */
export function sqliteLeadership({ file, ...common }: SqliteOptions): LeadershipSource {
  check(typeof file === 'string' && file !== '', 'file must be the path of a database');
  const options = resolveOptions(common, { own: ['file'], keepsPartitionsMax: true });
  const backend = leaseBackend(options, (host) => sqliteRows(file, options, host));
  return openSource(backend, options);
}

/** The backend module: register it once, with `registerBackend`, and open `sqlite:FILE?group=…`. */
export const backend: BackendModule = {
  scheme: 'sqlite',
  parameters: {},
  open: (address, options) =>
    sqliteLeadership(mergeAddress(address, options, { file: address.path })),
};

/** Returns the rows of a group, as one member reads and changes them. */
export function sqliteRows(
  file: string,
  { group, thresholdMs }: { readonly group: string; readonly thresholdMs: number },
  host: Host,
): Rows {
  return serverRows(new SqliteRows(file, group, thresholdMs), { host, thresholdMs, toError });
}

/** The errors that a person has to mend. All other errors are retried. */
const toError = errorMapper([
  [/no such table/, 'misconfigured-backend', 'a member creates the table when it starts'],
  [
    /readonly|unable to open/,
    'misconfigured-backend',
    'let this user write the file and its folder',
  ],
]);

const schema = `PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS leadership
  (member_group TEXT, name TEXT, text TEXT NOT NULL, PRIMARY KEY (member_group, name))`;
const place = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'leadership'";
const selection = 'SELECT name, text FROM leadership WHERE member_group = ?';
const insertion = 'INSERT INTO leadership VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const condition = 'WHERE member_group = ? AND name = ? AND text = ?';

class SqliteRows implements ServerRows {
  readonly name: string;
  readonly traits = { changesMax: 256 };
  readonly #file: string;
  readonly #group: string;
  readonly #busyMs: number;
  #opened: Database | undefined;

  constructor(file: string, group: string, thresholdMs: number) {
    this.name = `table "leadership" of ${file}`;
    this.#file = file;
    this.#group = group;
    // SQLite blocks this process while it waits for another one: for less than a lease can spare.
    this.#busyMs = Math.floor(thresholdMs / 10);
  }

  async open(_signal: AbortSignal, mayCreate: boolean): Promise<Inspection> {
    // A connection would create the file.
    if (!mayCreate && !existsSync(this.#file)) return { isMissing: true };
    if (mayCreate) this.#database().exec(schema);
    return { isMissing: this.#database().prepare(place).all().length === 0 };
  }

  async exchange({ changes }: ServerExchange): Promise<Exchanged> {
    const database = this.#database();
    try {
      database.exec(changes.length === 0 ? 'BEGIN' : 'BEGIN IMMEDIATE');
      const outcomes = changes.map((change) => changed(database, this.#group, change));
      const rows = database.prepare(selection).all(this.#group) as { name: string; text: string }[];
      database.exec('COMMIT');
      const shown = rows.map(({ name, text }): NamedText => [name, text]);
      // An answer with all rows needs no position to find what has changed.
      return { outcomes, rows: shown, position: 'all', isWhole: true };
    } catch (error) {
      // Rolls the transaction back. The next exchange opens the file again.
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  #database(): Database {
    this.#opened ??= openDatabase(this.#file, this.#busyMs);
    return this.#opened;
  }
}

/** Makes a change if the row holds the expected text. Each statement compares and changes in one step. */
function changed(database: Database, group: string, { name, expected, text }: RowChange): boolean {
  const run = (sql: string, ...values: readonly string[]): boolean =>
    Number(database.prepare(sql).run(...values).changes) === 1;
  if (expected === null) return run(insertion, group, name, text ?? '');
  if (text === null) return run(`DELETE FROM leadership ${condition}`, group, name, expected);
  return run(`UPDATE leadership SET text = ? ${condition}`, text, group, name, expected);
}

/** The part of a database of `node:sqlite` that this adapter uses. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...values: readonly string[]): unknown[];
    run(...values: readonly string[]): { readonly changes: number | bigint };
  };
  close(): void;
}

/** Opens a file with the SQLite of Node 22.13 and newer. */
function openDatabase(file: string, busyMs: number): Database {
  const sqlite = createRequire(import.meta.url)('node:sqlite') as {
    readonly DatabaseSync: new (file: string) => Database;
  };
  const database = new sqlite.DatabaseSync(file);
  database.exec(`PRAGMA busy_timeout = ${busyMs}`);
  return database;
}
