// The options as backends receive them.
import type { SourceOptions } from './options.ts';

/** The options after defaults and checks: complete and consistent. */
export type ResolvedOptions = Required<Omit<SourceOptions, 'signal' | 'load' | 'log'>> &
  Pick<SourceOptions, 'signal' | 'log'>;
