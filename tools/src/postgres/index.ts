/**
 * Real Postgres servers: for tests and benchmarks.
 *
 * @packageDocumentation
 */
export type { DatabaseServer } from '../backends/given-server.ts';
export { type LocalPostgres, localPostgres, type PostgresOptions } from './local-postgres.ts';
export { hasPgbouncer, localPgbouncer } from './pgbouncer.ts';
export {
  hasLocalPostgres,
  hasPostgres,
  startPostgres,
} from './start-postgres.ts';
