import { LeadershipError, type LeadershipSource, type SourceOptions } from '@leadership/core';
import {
  type BackendModule,
  type Host,
  mergeAddress,
  type OptionLimits,
  openSource,
  resolveOptions,
  tableBackend,
} from '@leadership/core/adapter';
import { type Connections, givenConnections } from './connections.ts';
import { checkOptions, connectionIn, type PostgresOptions, parameters } from './options.ts';
import { pgConnections } from './pg-connections.ts';
import { PostgresRows } from './rows.ts';
import { tableOf } from './table.ts';

const ownOptions: Readonly<Record<Exclude<keyof PostgresOptions, keyof SourceOptions>, true>> = {
  connection: true,
  pool: true,
  query: true,
  listen: true,
  schema: true,
  table: true,
  create: true,
  notifications: true,
};

/** The limit of the other stores of rows. */
const limits: OptionLimits = {
  partitions: { max: 256, backend: 'Postgres' },
  own: Object.keys(ownOptions),
};

/**
 * Opens a source for one member of a group that is kept in a table of Postgres. It starts at once;
 * `ready()` resolves when the table is usable.
 * @throws LeadershipError `invalid-options`
 */
export function postgresLeadership(options: PostgresOptions): LeadershipSource {
  const { connection = {}, pool, query, listen, schema, table, ...others } = options;
  const { create = true, notifications = true, ...common } = others;
  checkOptions(options);
  const resolved = resolveOptions(common, limits);
  const { group, thresholdMs } = resolved;
  const place = { group, thresholdMs, create, notifications, table: tableOf({ schema, table }) };
  const connections = ({ clock }: Host): Connections =>
    query === undefined
      ? pgConnections({ connection, pool, group, thresholdMs, clock })
      : givenConnections(query, listen);
  const backend = tableBackend(
    resolved,
    (host) => new PostgresRows(connections(host), place, host),
  );
  return openSource(backend, resolved);
}

/** The backend module for `openLeadership('postgres://HOST:PORT/DATABASE?group=GROUP')`. */
export const backend: BackendModule = {
  scheme: 'postgres',
  parameters,
  open(address, options) {
    const { user: _, ...merged } = mergeAddress(address, options) as PostgresOptions & {
      readonly user?: string;
    };
    const { connection = {}, pool, query } = merged;
    const named = connectionIn(address);
    if (typeof connection === 'object' && !pool && !query)
      return postgresLeadership({ ...merged, connection: { ...connection, ...named } });
    if (Object.keys(named).length > 0)
      throw new LeadershipError(
        'invalid-options',
        'the URL and an option both name the server: write postgres:?group=GROUP',
      );
    return postgresLeadership(merged);
  },
};
