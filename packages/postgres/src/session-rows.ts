// The rows of a group in a table of Postgres, for leases by session: one statement makes the changes and
// reads what has changed.
import { randomUUID } from 'node:crypto';
import { LeadershipError } from '@leadership/core';
import { monotonicClock, raceSignal, sleep } from '@leadership/core/adapter';
import {
  type Exchange,
  type Exchanged,
  type NamedText,
  ownershipToken,
  type RowChange,
  type Rows,
} from '@leadership/core/internal/rows';
import type { Connections, ResultRow } from './connections.ts';
import { postgresError } from './errors.ts';
import type { PostgresRowsOptions } from './rows.ts';
import { type Statements, statementsOf } from './session-statements.ts';
import { channelOf, onReplica, prepare } from './table.ts';

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

const changesMax = 256;

/** Returns the rows of a group, over the connections of one member. */
export function sessionRows(connections: Connections, options: PostgresRowsOptions): Rows {
  const rows = new SessionRows(connections, options);
  const failed = (error: unknown): never => {
    throw postgresError(error, rows.name);
  };
  return {
    name: rows.name,
    traits: { changesMax },
    open: (signal, mayCreate) => rows.open(signal, mayCreate).catch(failed),
    exchange: (request, signal) => rows.exchange(request, signal).catch(failed),
    ...(connections.listen &&
      options.notifications && {
        listen: (wake: () => void, signal: AbortSignal) => rows.listen(wake, signal),
      }),
    close: () => rows.close(),
  };
}

class SessionRows {
  readonly name: string;
  readonly #connections: Connections;
  readonly #options: PostgresRowsOptions;
  readonly #statements: Statements;
  readonly #channel: string;
  /** The content of its notifications. It ignores its own ones. */
  readonly #sender: string = randomUUID();
  #isClosed = false;
  /** Whether an observer found no table, and waits for a member that creates it. */
  #isMissing = false;

  constructor(connections: Connections, options: PostgresRowsOptions) {
    const { table, group } = options;
    this.name = `table "${table.schema}.${table.table}"`;
    this.#connections = connections;
    this.#options = options;
    this.#statements = statementsOf(table);
    this.#channel = channelOf(table, group);
  }

  async open(signal: AbortSignal, mayCreate: boolean): Promise<void> {
    const { table, create } = this.#options;
    const missing = mayCreate ? (create ? 'create' : 'refuse') : 'wait';
    this.#isMissing = !(await prepare(this.#connections, table, missing, signal));
  }

  async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    if (this.#isClosed) throw new LeadershipError('closed', 'it was closed');
    signal.throwIfAborted();
    if (this.#isMissing) await this.open(signal, false);
    if (this.#isMissing) return { outcomes: [], rows: [], position: undefined, isWhole: true };
    const answer = await this.#ask(request, signal);
    const { made, count, ...shown } = answer;
    const outcomes = request.changes.map(({ name }) => made.has(name));
    if (answer.position.names.size === count) return { ...shown, outcomes };
    // Rows were removed, and the statement could not know which.
    const since = answer.position;
    const whole = await this.#ask({ changes: [], since, isWhole: true }, signal);
    if (whole.isRestarted)
      throw new LeadershipError('unreachable', 'the server was replaced during a request');
    return { rows: whole.rows, position: whole.position, isWhole: true, outcomes };
  }

  /** Listens until the signal aborts, on a new connection after each failure. */
  listen(wake: () => void, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const listening = (): void => {
        resolve();
        wake();
      };
      const notified = (sender: string): void => {
        if (sender !== this.#sender && !signal.aborted) wake();
      };
      const attempt = async (): Promise<void> => {
        while (!signal.aborted) {
          const listener = { listening, notified };
          await this.#connections.listen?.(this.#channel, listener, signal).catch(() => undefined);
          resolve();
          await sleep(monotonicClock, this.#options.thresholdMs / 4, signal).catch(() => undefined);
        }
      };
      void attempt();
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#connections.close();
  }

  async #ask(
    { changes, since, isWhole = false }: Exchange,
    signal: AbortSignal,
  ): Promise<Answer & { readonly count: number }> {
    const before = since as Position | undefined;
    const { history = null, lsn = null, xmin = null, seen = [], started = null } = before ?? {};
    const { group } = this.#options;
    const values = [group, history, lsn, xmin, `{${seen.join()}}`, String(isWhole), started];
    const isReading = changes.length === 0;
    const more = [JSON.stringify(changes.map(wanted)), this.#channel, this.#sender];
    const sent = this.#connections.query(
      isReading ? this.#statements.reading : this.#statements.exchange,
      isReading ? values : [...values, ...more],
      signal,
    );
    // A function of the application cannot give up a statement.
    const result = await raceSignal(sent, signal);
    return answerOf(result, before);
  }
}

/** A change as the statement reads it. */
function wanted({ name, expected, text, isAwaited = false }: RowChange): object {
  const token = text === null ? undefined : ownershipToken(text);
  return { name, expected, text, token: token?.toString() ?? null, isAwaited };
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
