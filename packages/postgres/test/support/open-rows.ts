import { randomUUID } from 'node:crypto';
import { monotonicClock, type Rows } from '@leadership/core/adapter';
import { type RecordingHost, recordingHost } from '@leadership/testkit/adapter';
import type { Connections } from '../../src/connections.ts';
import type { PostgresConnection } from '../../src/options.ts';
import { pgConnections } from '../../src/pg-connections.ts';
import { type PostgresRowsOptions, postgresRows } from '../../src/rows.ts';
import { tableOf } from '../../src/table.ts';

/** The rows of a group, as one member uses them. Disposing closes its connections. */
export interface OpenRows extends AsyncDisposable {
  readonly rows: Rows;
  readonly host: RecordingHost;
}

/** A signal of each request: Node warns of a leak where many requests listen to one. */
const never = (): AbortSignal => new AbortController().signal;
const defaults = { thresholdMs: 3000, create: true, notifications: true };

/** Opens rows over connections of `pg`, or over the given ones. */
export function openRows(
  connection: PostgresConnection | Connections,
  options: Partial<PostgresRowsOptions> & { readonly member?: string } = {},
): OpenRows {
  const { member = 'm', ...own } = options;
  const host = recordingHost(member);
  const place = { group: randomUUID(), table: tableOf({}), ...defaults, ...own };
  const connections =
    'query' in connection
      ? connection
      : pgConnections({ connection, clock: monotonicClock, ...place });
  const rows = postgresRows(connections, place, host);
  return {
    rows,
    host,
    async [Symbol.asyncDispose]() {
      await rows.close();
    },
  };
}

/** Reads the rows. */
export function listed({ rows }: OpenRows): Promise<ReadonlyMap<string, string>> {
  return rows.list({ signal: never(), mayLag: false });
}

/** Changes a row. */
export function changed(
  { rows }: OpenRows,
  name: string,
  expected: string | null,
  text: string | null,
  isAwaited = false,
): ReturnType<Rows['replace']> {
  return rows.replace({ name, expected, text, isAwaited }, never());
}

/** Prepares the table. */
export function prepared({ rows }: OpenRows): Promise<void> {
  return rows.open?.(never()) ?? Promise.resolve();
}
