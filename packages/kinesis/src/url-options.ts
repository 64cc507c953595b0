import type { KinesisOptions } from './options.ts';

/**
 * Options for `openLeadership('kinesis://REGION/STREAM?group=GROUP&table=TABLE', options)`. The URL
 * sets the region and the stream.
 */
export interface KinesisUrlOptions extends Partial<Omit<KinesisOptions, 'region' | 'stream'>> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `kinesis://REGION/STREAM?group=GROUP&table=TABLE` */
    readonly kinesis: KinesisUrlOptions;
  }
}
