// The port to a client library of MySQL: it sends several statements at once on one connection.
import { LeadershipError } from '@leadership/core';

/** One row of a result, by column. */
export type ResultRow = Readonly<Record<string, unknown>>;

/**
 * Sends statements, separated by semicolons, in one request on one connection to the primary, and
 * resolves with their results in order, as `const [results] = await connection.query(sql)` of `mysql2`
 * with `multipleStatements: true`. If a statement fails, it must destroy the connection, or send
 * `ROLLBACK` before another caller uses it: the statements contain a transaction.
 */
export type SendStatements = (sql: string) => PromiseLike<readonly unknown[]>;

/** The connections of one member. */
export interface Connections {
  /**
   * Sends statements, and resolves with the rows of the last one. If the signal aborts, the connection
   * is closed, not only the wait.
   */
  query(sql: string, signal: AbortSignal): Promise<readonly ResultRow[]>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Returns the rows of the last statement. */
export function lastRows(results: readonly unknown[]): readonly ResultRow[] {
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  if (Array.isArray(last)) return last;
  throw new LeadershipError(
    'invalid-options',
    'query must resolve with an array of the results of all statements, whose last element is an array of rows: the connection needs multipleStatements',
  );
}

/** Creates connections over the driver of an application. Closing leaves them open. */
export function givenConnections(query: SendStatements): Connections {
  return {
    query: async (sql) => lastRows(await query(sql)),
    close: () => Promise.resolve(),
  };
}
