import type { Assumption, Guarantees } from '../contract/guarantees.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';

/** The greatest delay of a stand-in, so that waiting members do not all claim at once. In T. */
const staggerThresholds = 0.04;

/** The properties in which a store differs from another one. */
export interface StoreTraits {
  /**
   * The assumptions that the store's exclusivity depends on in addition to `drift`. Default:
   * `durable-store`, `no-suspend`.
   */
  readonly assumes?: readonly Assumption[];
}

/**
 * Returns the guarantees of one leader at a time by a lease in a store. `delayMs`: the longest time
 * until a member sees the renewal of another one. Milliseconds.
 */
export function exclusiveGuarantees(
  { thresholdMs, driftRate }: Pick<ResolvedOptions, 'thresholdMs' | 'driftRate'>,
  { assumes = ['durable-store', 'no-suspend'] }: StoreTraits,
  delayMs: number,
): Guarantees {
  const staggerMs = staggerThresholds * thresholdMs;
  return {
    exclusive: true,
    tokens: 'ordered',
    handover: 'drained',
    assumes: ['drift', ...assumes],
    overlapMsMax: 0,
    failoverMsMax: Math.ceil(thresholdMs * (1 + driftRate) + staggerMs + delayMs),
  };
}
