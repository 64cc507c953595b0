import type { KubernetesOptions } from './options.ts';

/**
 * Options for `openLeadership('kubernetes:NAMESPACE?group=GROUP', options)`. The URL may set
 * `namespace`.
 */
export interface KubernetesUrlOptions extends Partial<KubernetesOptions> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `kubernetes:NAMESPACE?group=GROUP`, or `kubernetes:?group=GROUP` */
    readonly kubernetes: KubernetesUrlOptions;
  }
}
