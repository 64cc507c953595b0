// The export by which the package of an adapter describes itself, so that `openLeadership` can open
// its URLs.
import type { LeadershipAddress } from './address.ts';
import type { SourceOptions } from './options.ts';
import type { LeadershipSource } from './source.ts';

/** The accepted query parameters: name → type. */
export type UrlParameters = Readonly<Record<string, 'string' | 'number' | 'boolean'>>;

/** The `backend` export of an adapter package, which `openLeadership` looks up. */
export interface BackendModule {
  /** The URL scheme, without the colon. */
  readonly scheme: string;
  /** The query parameters of this backend, in addition to those of every backend. */
  readonly parameters: UrlParameters;
  /**
   * Creates a source from a URL. Checks everything that needs no network, throws `invalid-options`,
   * and does not connect yet. Returns a promise only if the source needs information from the
   * network first, such as the number of partitions.
   */
  open(
    address: LeadershipAddress,
    options: SourceOptions,
  ): LeadershipSource | Promise<LeadershipSource>;
}
