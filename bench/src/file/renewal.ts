import type { IdleInput } from './idle.ts';

/** How a member whose renewals are timed is started. */
export type RenewalInput = Pick<IdleInput, 'directory' | 'thresholdMs'>;

/** What Node's pool of threads is occupied with meanwhile. */
export type PoolCondition = 'idle' | 'blocked' | 'hashing';

/** What such a member is told: to measure for so long. Milliseconds. */
export interface RenewalCommand {
  readonly condition: PoolCondition;
  readonly windowMs: number;
}

/** What such a member says. */
export type RenewalTold =
  | { readonly kind: 'prepared' }
  | {
      readonly kind: 'measured';
      /** How long each renewal took, from its first call to the last answer. */
      readonly renewalsMs: readonly number[];
      /** How long the event loop was not idle. */
      readonly loopMs: number;
      /** How many leases were lost. */
      readonly lost: number;
    };
