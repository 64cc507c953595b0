// The port to a client library of Postgres: a connection for queries, and one that listens for
// notifications.
import { LeadershipError } from '@leadership/core';
import { aborted, type NotificationListener } from '@leadership/core/adapter';

/** One row of a result, by column. All columns are texts, which no driver converts. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** The result of a query: the rows, as `postgres` returns them, or an object with them, as in `pg`. */
export type QueryResult = readonly ResultRow[] | { readonly rows: readonly ResultRow[] };

/**
 * Sends one statement with its parameters `$1`, `$2`, … to the primary, outside any transaction,
 * and resolves with its result.
 */
export type SendQuery = (
  text: string,
  values: readonly (string | null)[],
) => PromiseLike<QueryResult>;

/**
 * Calls `notified` for each notification of the channel, with its content, and resolves with a
 * function that stops it. It connects again by itself.
 */
export type ListenTo = (
  channel: string,
  notified: (payload: string) => void,
) => PromiseLike<() => unknown>;

/** The connections of one member. */
export interface Connections {
  /**
   * Sends one statement. If the signal aborts, the connection is closed, not only the wait. `plan`: a name
   * for the plan of a statement that is sent often. A connection keeps it, if it leads to the server itself.
   */
  query(
    text: string,
    values: readonly (string | null)[],
    signal: AbortSignal,
    plan?: string,
  ): Promise<readonly ResultRow[]>;
  /**
   * Listens to a channel until the signal aborts, and rejects when the connection ends before.
   * `undefined` if the application has given a driver without a way to listen.
   */
  listen?(channel: string, listener: NotificationListener, signal: AbortSignal): Promise<void>;
  /** Closes all connections. Limits its own time. */
  close(): Promise<void>;
}

/** Returns the rows of a result of any driver. */
export function rowsIn(result: QueryResult): readonly ResultRow[] {
  const rows: unknown = 'rows' in result ? result.rows : result;
  if (Array.isArray(rows)) return rows;
  throw new LeadershipError(
    'invalid-options',
    'query must resolve with an array of rows, or with an object whose `rows` are one',
  );
}

/** Creates connections over the driver of an application. Closing leaves them open. */
export function givenConnections(query: SendQuery, listen: ListenTo | undefined): Connections {
  return {
    query: async (text, values) => rowsIn(await query(text, values)),
    ...(listen && {
      async listen(channel, listener, signal) {
        const stop = await listen(channel, (payload) => listener.notified(payload));
        listener.listening();
        await aborted(signal);
        await stop();
      },
    }),
    close: () => Promise.resolve(),
  };
}
