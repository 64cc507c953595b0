import type { SourceOptions } from './options.ts';

/**
 * The options that `openLeadership` accepts, by URL scheme. An adapter adds its own scheme, which takes effect as soon as the
 * adapter's package is part of the program (a type import of nothing from `@leadership/kafka` is enough):
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
  /** `memory:GROUP` takes the common options only. */
  readonly memory: SourceOptions;
}

/**
 * The options for one URL: those of its scheme; the common ones for a scheme that no imported adapter declares; and those of any
 * known scheme where the URL is only known when the program runs.
 */
export type OptionsFor<Url extends string | URL> = Url extends `${infer Scheme}:${string}`
  ? Scheme extends keyof BackendOptions
    ? BackendOptions[Scheme]
    : SourceOptions
  : BackendOptions[keyof BackendOptions];
