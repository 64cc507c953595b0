/**
 * Real Postgres servers: for tests and benchmarks.
 *
 * @packageDocumentation
 */
export { type LocalPostgres, localPostgres, type PostgresOptions } from './local-postgres.ts';
export { hasPgbouncer, localPgbouncer } from './pgbouncer.ts';
export {
  hasLocalPostgres,
  hasPostgres,
  type PostgresServer,
  startPostgres,
} from './start-postgres.ts';
