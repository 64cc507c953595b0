// Opens a source on Postgres, by options (`postgresLeadership`) or by URL (`backend`).
import type { LeadershipSource } from '@leadership/core';
import {
  type BackendModule,
  databaseBackend,
  doubtMsOf,
  type Host,
  leaseBackend,
  type OptionLimits,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { type Connections, givenConnections } from './connections.ts';
import { checkOptions, ownOptions, type PostgresOptions, parameters } from './options.ts';
import { pgConnections } from './pg-connections.ts';
import { postgresRows } from './rows.ts';
import { tableOf } from './table.ts';

/** More partitions were not measured. */
const limits: OptionLimits = {
  partitions: { max: 10_000, backend: 'Postgres' },
  own: ownOptions,
  keepsPartitionsMax: true,
};

/**
 * Opens a source for one member of a group that is kept in a table of Postgres. It starts at once;
 * `ready()` resolves when the table is usable.
 * @throws LeadershipError `invalid-options`
 */
export function postgresLeadership(options: PostgresOptions): LeadershipSource {
  const { connection = {}, pool, query, listen, schema, table, ...others } = options;
  const { create = true, notifications = true, ...shared } = others;
  checkOptions(options);
  const resolved = resolveOptions(shared, limits);
  const { group, thresholdMs } = resolved;
  const doubtMs = doubtMsOf(resolved);
  const common = { group, thresholdMs };
  const place = { ...common, doubtMs, create, notifications, table: tableOf({ schema, table }) };
  const connections = ({ clock }: Host): Connections =>
    query === undefined
      ? pgConnections({ connection, pool, ...common, clock })
      : givenConnections(query, listen);
  const showsRenewals = notifications && (query === undefined || listen !== undefined);
  const backend = leaseBackend(resolved, (host) => postgresRows(connections(host), place, host), {
    showsRenewals,
  });
  return openSource(backend, resolved);
}

/** The backend module for `openLeadership('postgres://HOST:PORT/DATABASE?group=GROUP')`. */
export const backend: BackendModule = databaseBackend('postgres', parameters, postgresLeadership);
