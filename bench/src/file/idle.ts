import type { Call } from './trace.ts';

/** How an idle member, or the loop beside it, is started. */
export interface IdleInput {
  readonly directory: string;
  readonly thresholdMs: number;
  /** Until the compiler is done. */
  readonly warmMs: number;
  readonly windowMs: number;
}

/** What a member did to its files. */
export interface Traced {
  readonly calls: readonly Call[];
  readonly watched: readonly string[];
}

/** What the children of idle-cost say. */
export type IdleTold =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'traced' }
  | { readonly kind: 'measured'; readonly cpuMsPerSecond: number; readonly failed: number };

/** Partitions of the member, all of which it leads: the default. */
export const idlePartitions = 8;
