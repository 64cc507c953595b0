import type { ScuttlebuttOptions } from './options.ts';

/**
 * What `openLeadership('gossip://HOST,HOST/GROUP?member=HOST', options)` accepts: the URL names the
 * voters, the group and this member.
 */
export interface GossipUrlOptions extends Partial<ScuttlebuttOptions> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `gossip://HOST,HOST/GROUP?member=HOST` */
    readonly gossip: GossipUrlOptions;
  }
}
