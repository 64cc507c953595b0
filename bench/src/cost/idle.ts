import type { Call } from './trace.ts';

/** The input of an idle member's process, or of the loop that it is compared with. */
export interface IdleInput {
  readonly directory: string;
  readonly thresholdMs: number;
  /** The warm-up, in milliseconds. Excludes compilation. */
  readonly warmMs: number;
  readonly windowMs: number;
}

/** The file-system calls of a traced member. */
export interface Traced {
  readonly calls: readonly Call[];
  readonly watched: readonly string[];
}

/** The messages of the child processes of idle-cost. */
export type IdleMessage =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'traced' }
  | { readonly kind: 'measured'; readonly cpuMsPerSecond: number; readonly failed: number };

/**
 * The number of partitions of the idle member, which leads all of them. The default of every
 * backend.
 */
export const idlePartitions = 8;
