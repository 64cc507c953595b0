/**
 * Leader election on Postgres. One table holds the leases of all groups. {@link postgresLeadership}
 * opens a source on it, and so does `openLeadership('postgres://HOST/DATABASE?group=GROUP')`.
 * {@link fence} lets a transaction in the same database commit only while its term is current.
 *
 * @packageDocumentation
 */
export type { ListenTo, QueryResult, ResultRow, SendQuery } from './connections.ts';
export { type FenceClient, type FenceOptions, type FenceTerm, fence } from './fence.ts';
export type {
  PostgresConnection,
  PostgresOptions,
  PostgresPool,
} from './options.ts';
export { backend, postgresLeadership } from './postgres-leadership.ts';
export { postgresMigration, type TableName } from './table.ts';
export type { PostgresUrlOptions } from './url-options.ts';
