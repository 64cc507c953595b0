import { randomUUID } from 'node:crypto';
import { monotonicClock } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import type { OpenRows } from '@leadership/tools/rows';
import type { Connections } from '../../src/connections.ts';
import type { PostgresConnection } from '../../src/options.ts';
import { pgConnections } from '../../src/pg-connections.ts';
import { type PostgresRowsOptions, postgresRows } from '../../src/rows.ts';
import { tableOf } from '../../src/table.ts';

const defaults = { thresholdMs: 3000, doubtMs: 3000, create: true, notifications: true };

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
