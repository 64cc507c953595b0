import type { SourceOptions } from './options.ts';

/** Options after defaults and checks: complete, and their relations hold. */
export type ResolvedOptions = Required<Omit<SourceOptions, 'signal' | 'load' | 'log'>> & Pick<SourceOptions, 'signal' | 'log'>;
