import { randomUUID } from 'node:crypto';
import { monotonicClock } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import type { OpenRows } from '@leadership/tools/rows';
import type { Connections } from '../../src/connections.ts';
import { mysql2Connections } from '../../src/mysql2-connections.ts';
import type { MysqlConnection } from '../../src/options.ts';
import { type MysqlRowsOptions, mysqlRows } from '../../src/rows.ts';

const defaults = { thresholdMs: 3000, doubtMs: 3000, create: true, table: 'leadership' };

/** Opens rows over connections of `mysql2`, or over the given ones. */
export function openRows(
  connection: MysqlConnection | Connections,
  options: Partial<MysqlRowsOptions> & { readonly member?: string } = {},
): OpenRows {
  const { member = 'm', ...own } = options;
  const host = recordingHost(member);
  const place = { group: randomUUID(), ...defaults, ...own };
  const connections =
    'query' in connection
      ? connection
      : mysql2Connections({ connection, clock: monotonicClock, ...place });
  const rows = mysqlRows(connections, place, host);
  return {
    rows,
    host,
    async [Symbol.asyncDispose]() {
      await rows.close();
    },
  };
}
