import type { SourceOptions } from './options.ts';

/**
 * The options that `openLeadership` accepts, by URL scheme. An adapter adds its own scheme. The
 * addition takes effect once the adapter's package is part of the program; an empty type import
 * from `@leadership/kafka` is enough:
 *
 * ```ts
 * declare module '@leadership/core' {
 *   interface BackendOptions {
 *     readonly etcd: EtcdUrlOptions;
 *   }
 * }
 * ```
 */
export interface BackendOptions {
  /** `memory:GROUP` takes only the common options. */
  readonly memory: SourceOptions;
}

/**
 * The options for a URL: those of its scheme. For a scheme that no imported adapter declares, the
 * common ones and any other, which the adapter checks when it is loaded. If the URL is known only at
 * run time, the options of any known scheme.
 */
export type OptionsFor<Url extends string | URL> = Url extends `${infer Scheme}:${string}`
  ? Scheme extends keyof BackendOptions
    ? BackendOptions[Scheme]
    : SourceOptions & Readonly<Record<string, unknown>>
  : BackendOptions[keyof BackendOptions];
