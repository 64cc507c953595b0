import type { MysqlOptions } from './options.ts';

/**
 * Options for `openLeadership('mysql://HOST:PORT/DATABASE?group=GROUP', options)`. The URL sets host,
 * port and database.
 */
export interface MysqlUrlOptions extends Partial<MysqlOptions> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `mysql://HOST:PORT/DATABASE?group=GROUP` */
    readonly mysql: MysqlUrlOptions;
    /** The same as `mysql:`. */
    readonly mariadb: MysqlUrlOptions;
  }
}
