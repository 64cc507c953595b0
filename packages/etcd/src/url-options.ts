import type { EtcdOptions } from './options.ts';

/**
 * Options for `openLeadership('etcd://HOST:PORT,HOST:PORT/?group=GROUP', options)`. The URL sets
 * `endpoints`.
 */
export interface EtcdUrlOptions extends Partial<Omit<EtcdOptions, 'endpoints'>> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `etcd://HOST:PORT,HOST:PORT/?group=GROUP` */
    readonly etcd: EtcdUrlOptions;
  }
}
