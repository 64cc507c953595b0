import type { KinesisOptions } from './options.ts';

/** What `openLeadership('kinesis://REGION/STREAM?group=GROUP&table=TABLE', options)` accepts: the URL names region and stream. */
export interface KinesisUrlOptions extends Partial<Omit<KinesisOptions, 'region' | 'stream'>> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `kinesis://REGION/STREAM?group=GROUP&table=TABLE` */
    readonly kinesis: KinesisUrlOptions;
  }
}
