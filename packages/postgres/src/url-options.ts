import type { PostgresOptions } from './options.ts';

/**
 * Options for `openLeadership('postgres://HOST:PORT/DATABASE?group=GROUP', options)`. The URL sets
 * host, port and database.
 */
export interface PostgresUrlOptions extends Partial<PostgresOptions> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `postgres://HOST:PORT/DATABASE?group=GROUP` */
    readonly postgres: PostgresUrlOptions;
    /** The same as `postgres:`. */
    readonly postgresql: PostgresUrlOptions;
  }
}
