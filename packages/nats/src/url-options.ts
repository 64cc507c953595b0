import type { NatsOptions } from './options.ts';

/**
 * Options for `openLeadership('nats://HOST:PORT,HOST:PORT/?group=GROUP', options)`. The URL sets
 * `servers`.
 */
export interface NatsUrlOptions extends Partial<Omit<NatsOptions, 'servers'>> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `nats://HOST:PORT,HOST:PORT/?group=GROUP` */
    readonly nats: NatsUrlOptions;
  }
}
