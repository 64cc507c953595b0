// Opens a source on MySQL or MariaDB, by options (`mysqlLeadership`) or by URL (`backend`).
import type { LeadershipSource } from '@leadership/core';
import {
  type BackendModule,
  databaseBackend,
  doubtMsOf,
  leaseBackend,
  type OptionLimits,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { type Connections, givenConnections } from './connections.ts';
import { type Mysql2Options, mysql2Connections } from './mysql2-connections.ts';
import {
  checkOptions,
  connectionOf,
  type MysqlOptions,
  ownOptions,
  parameters,
} from './options.ts';
import { mysqlRows } from './rows.ts';
import { defaultTable } from './table.ts';

/** More partitions were not measured. */
const limits: OptionLimits = {
  partitions: { max: 10_000, backend: 'MySQL' },
  own: ownOptions,
  keepsPartitionsMax: true,
};

/**
 * Opens a source for one member of a group that is kept in a table of MySQL or MariaDB. It starts at
 * once; `ready()` resolves when the table is usable.
 * @throws LeadershipError `invalid-options`
 */
export function mysqlLeadership(options: MysqlOptions): LeadershipSource {
  const { query } = options;
  return mysqlOver(options, query ? () => givenConnections(query) : mysql2Connections);
}

/** Opens a source over the connections that `connect` creates. Tests hinder them. */
export function mysqlOver(
  options: MysqlOptions,
  connect: (options: Mysql2Options) => Connections,
): LeadershipSource {
  checkOptions(options);
  const { pool, table = defaultTable, create = true } = options;
  const connection = connectionOf(options.connection);
  const resolved = resolveOptions(options, limits);
  const place = { ...resolved, table, create, doubtMs: doubtMsOf(resolved) };
  const backend = leaseBackend(resolved, (host) => {
    const connections = connect({ ...place, connection, pool, clock: host.clock });
    return mysqlRows(connections, place, host);
  });
  return openSource(backend, resolved);
}

/** The backend module behind `openLeadership('mysql://HOST:PORT/DATABASE?group=GROUP')`. */
export const backend: BackendModule = databaseBackend('mysql', parameters, mysqlLeadership);
