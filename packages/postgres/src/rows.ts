// The rows of a group in a table of Postgres: one statement makes the changes and reads what has changed.

import { LeadershipError } from '@leadership/core';
import {
  codeIn,
  type Exchanged,
  type Host,
  type Inspection,
  type NamedText,
  ownershipToken,
  type RowChange,
  type Rows,
  type RowsTraits,
  type ServerExchange,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import type { Connections, ResultRow } from './connections.ts';
import { postgresError } from './errors.ts';
import type { PostgresOptions } from './options.ts';
import { agedSql, type Statements, statementsOf } from './statements.ts';
import { channelOf, onReplica, prepare, type Table } from './table.ts';

/** The configuration of the rows. */
export interface PostgresRowsOptions
  extends Required<Pick<PostgresOptions, 'group' | 'thresholdMs' | 'create' | 'notifications'>> {
  readonly table: Table;
  /** For how long a server that was promoted or restored may lack changes that somebody relies on (M6). */
  readonly doubtMs: number;
}

/** Where a reader is. */
interface Position {
  /** The timeline of the server, which a promoted replica raises, and the identity of the table. */
  readonly history: string;
  /** Up to where the log was on disk. Less shows a disk that went back. */
  readonly lsn: string;
  /** When the server started. */
  readonly started: string;
  /** All earlier transactions were over, and their rows were read. */
  readonly xmin: string;
  /** The later transactions whose rows were read. All rows of a transaction appear at once. */
  readonly seen: readonly string[];
  /**
   * The names of all rows: a removed row shows in their number only. Later positions add to the
   * same set; a name too many costs one more request.
   */
  readonly names: Set<string>;
}

/** The part of a result beside the rows. */
interface Summary {
  /** `null` on a replica. */
  readonly history: string | null;
  readonly lsn: string;
  readonly started: string;
  readonly isSame: boolean;
  readonly isWhole: boolean;
  readonly xmin: string;
  readonly seen: readonly string[];
  readonly made: readonly string[];
  /** The number of rows after the changes. */
  readonly count: number;
}

/** The result of a statement. */
interface Answer extends Omit<Exchanged, 'outcomes'> {
  readonly position: Position;
  readonly made: ReadonlySet<string>;
}

/** The code of Postgres for a function that the user may not call. */
const insufficientPrivilege = '42501';

const traits: RowsTraits = { changesMax: 256 };

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
  readonly traits: RowsTraits = traits;
  readonly listen: ServerRows['listen'];
  readonly #connections: Connections;
  readonly #options: PostgresRowsOptions;
  readonly #statements: Statements;
  readonly #channel: string;

  constructor(connections: Connections, options: PostgresRowsOptions) {
    const { table, group } = options;
    const { listen } = connections;
    this.name = `table "${table.schema}.${table.table}"`;
    this.#connections = connections;
    this.#options = options;
    this.#statements = statementsOf(table);
    this.#channel = channelOf(table, group);
    this.listen = listen && ((listener, signal) => listen(this.#channel, listener, signal));
  }

  async open(signal: AbortSignal, mayCreate: boolean): Promise<Inspection> {
    const { table, create } = this.#options;
    const missing = mayCreate ? (create ? 'create' : 'refuse') : 'wait';
    return { isMissing: !(await prepare(this.#connections, table, missing, signal)) };
  }

  async inspect(signal: AbortSignal): Promise<Inspection> {
    await prepare(this.#connections, this.#options.table, 'wait', signal);
    return {};
  }

  async exchange(request: ServerExchange, signal: AbortSignal): Promise<Exchanged> {
    const answer = await this.#ask(request, signal);
    const { made, count, ...shown } = answer;
    const outcomes = request.changes.map(({ name }) => made.has(name));
    if (request.since === undefined && count > 0 && !(await this.#isAged(signal)))
      return { ...shown, outcomes, isRestarted: true };
    if (answer.position.names.size === count) return { ...shown, outcomes };
    // Rows were removed, and the statement could not know which.
    const reading = { changes: [], notification: undefined };
    const whole = await this.#ask({ ...reading, since: answer.position, isWhole: true }, signal);
    if (whole.isRestarted)
      throw new LeadershipError('unreachable', 'the server was replaced during a request');
    return { rows: whole.rows, position: whole.position, isWhole: true, outcomes };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /**
   * Returns whether the server has been the primary for so long that no member relies on changes that it
   * lacks. It is asked after the first reading: the server that answers this may be a newer one.
   */
  async #isAged(signal: AbortSignal): Promise<boolean> {
    const age = `${Math.ceil(this.#options.doubtMs)} ms`;
    const asked = this.#connections.query(agedSql, [age], signal).catch((error: unknown) => {
      if (codeIn(error) === insufficientPrivilege) return [];
      throw error;
    });
    return (await asked)[0]?.['aged'] === 'true';
  }

  async #ask(
    { changes, since, isWhole = false, notification }: ServerExchange,
    signal: AbortSignal,
  ): Promise<Answer & { readonly count: number }> {
    const before = since as Position | undefined;
    const { history = null, lsn = null, xmin = null, seen = [], started = null } = before ?? {};
    const { reading, exchange } = this.#statements;
    const { group } = this.#options;
    const values = [group, history, lsn, xmin, `{${seen.join()}}`, String(isWhole), started];
    const isReading = changes.length === 0;
    const more = [JSON.stringify(changes.map(wanted)), this.#channel, notification ?? null];
    const result = await this.#connections.query(
      isReading ? reading : exchange,
      isReading ? values : [...values, ...more],
      signal,
      `leadership ${isReading ? 'reading' : 'exchange'} ${sizeClass(before?.names.size ?? 0)}`,
    );
    return answerOf(result, before);
  }
}

/**
 * Returns a number that is the same for up to four times as many rows. A plan for few rows would compare
 * each change with each of thousands, until the server has counted them.
 */
function sizeClass(rows: number): number {
  return Math.floor(Math.log2(rows + 1) / 2);
}

/** A change as the statement reads it. */
function wanted({ name, expected, text, isAwaited = false }: RowChange, at: number): object {
  const token = text === null ? undefined : ownershipToken(text);
  return { name, expected, text, token: token?.toString() ?? null, isAwaited, at };
}

/** Reads a result: a summary, and the rows. `before`: the position since which they are. */
function answerOf(
  result: readonly ResultRow[],
  before: Position | undefined,
): Answer & { readonly count: number } {
  const summary = result.find(({ name }) => name === null)?.['text'];
  const { history, isSame, isWhole, made, count, ...place } = JSON.parse(
    String(summary),
  ) as Summary;
  if (history === null) throw onReplica();
  const known = isWhole ? undefined : before;
  const rows = result
    .filter(({ name }) => name !== null)
    .map(({ name, text }): NamedText => [String(name), text === null ? null : String(text)]);
  const isRemoved = rows.some(([, text]) => text === null);
  const names = isRemoved || known === undefined ? new Set(known?.names) : known.names;
  for (const [name, text] of rows)
    if (text === null) names.delete(name);
    else names.add(name);
  return {
    rows,
    position: { history, ...place, names },
    isWhole,
    ...(!isSame && { isRestarted: true }),
    made: new Set(made),
    count,
  };
}
