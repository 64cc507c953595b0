import type { LeadershipAddress } from './address.ts';
import type { SourceOptions } from './options.ts';
import type { LeadershipSource } from './source.ts';

/** What a URL's query may say, and as what. */
export type ParameterKind = 'string' | 'number' | 'boolean';
/** Parameter name → kind. */
export type Parameters = Readonly<Record<string, ParameterKind>>;

/** What a backend's package exports as `backend`, for `openLeadership` to find. */
export interface BackendModule {
  /** The URL's scheme, without the colon. */
  readonly scheme: string;
  /** The query parameters of its own, beside the ones every backend has. */
  readonly parameters: Parameters;
  /**
   * Checks everything that can be checked without a network, and throws `invalid-options`; connects to nothing yet. A promise only
   * where a source cannot be had before the network was asked: how many partitions there are must be known to it.
   */
  open(address: LeadershipAddress, options: SourceOptions): LeadershipSource | Promise<LeadershipSource>;
}
