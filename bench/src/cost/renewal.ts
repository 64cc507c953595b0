import type { IdleInput } from './idle.ts';

/** The input of the process whose renewals are measured. */
export type RenewalInput = Pick<IdleInput, 'directory' | 'thresholdMs'>;

/** The state of libuv's thread pool during a measurement. */
export type PoolCondition = 'idle' | 'blocked' | 'hashing';

/** The command to measure for `windowMs` milliseconds. */
export interface RenewalCommand {
  readonly condition: PoolCondition;
  readonly windowMs: number;
}

/** The messages of the process. */
export type RenewalMessage =
  | { readonly kind: 'prepared' }
  | {
      readonly kind: 'measured';
      /** The duration of each renewal in milliseconds, from its first call to the last reply. */
      readonly renewalsMs: readonly number[];
      /** The active time of the event loop, in milliseconds. */
      readonly loopMs: number;
      /** The number of leases that were lost. */
      readonly lost: number;
    };
