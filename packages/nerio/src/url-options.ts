import type { NerioOptions } from './options.ts';

/**
 * What `openLeadership('nerio://HOST,HOST/GROUP?member=HOST', options)` accepts: the URL names
 * members, group and this member.
 */
export interface NerioUrlOptions extends Partial<NerioOptions> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `nerio://HOST,HOST/GROUP?member=HOST` */
    readonly nerio: NerioUrlOptions;
  }
}
