// The options as backends receive them.
import type { SourceOptions } from './options.ts';

/** The options after defaults and checks: complete and consistent. */
export type ResolvedOptions = Required<
  Omit<SourceOptions, 'signal' | 'load' | 'log' | 'campaign'>
> &
  Pick<SourceOptions, 'signal' | 'log'> & {
    /** Whether this member is a candidate, and not only an observer. */
    readonly campaign: boolean;
    /** The greatest number of partitions that it leads at once (M13). Absent: no limit. */
    readonly partitionsMax?: number;
  };
