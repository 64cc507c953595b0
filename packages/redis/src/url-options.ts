import type { RedisOptions } from './options.ts';

/**
 * Options for `openLeadership('redis://HOST:PORT/DB?group=GROUP', options)`. The URL sets host, port
 * and database.
 */
export interface RedisUrlOptions extends Partial<RedisOptions> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `redis://HOST:PORT/DB?group=GROUP` */
    readonly redis: RedisUrlOptions;
    /** The same as `redis:`, with TLS. */
    readonly rediss: RedisUrlOptions;
    /** The same as `redis:`. */
    readonly valkey: RedisUrlOptions;
  }
}
