import type { Host } from '../contract/backend.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { Ledger } from './ledger.ts';
import type { MemberConfig } from './protocol/state.ts';

/** Returns what the state machines know of this member and of its store. */
export function memberConfig(options: ResolvedOptions, ledger: Ledger, host: Host): MemberConfig {
  const { group, partitions, thresholdMs, thresholdMsMax, driftRate, metadata } = options;
  const published = Object.keys(metadata).length > 0 ? { metadata } : {};
  const { member, incarnation } = host;
  const own = {
    group,
    member,
    incarnation,
    partitions,
    thresholdMs,
    thresholdMsMax,
    driftRate,
    ...published,
  };
  const { deliverySpreadMs = 0, shape, leaseRequests, tokenFloor } = ledger;
  const offered = {
    hasLeaseRequests: leaseRequests !== undefined,
    hasFloor: tokenFloor !== undefined,
  };
  return { ...own, shape, ...offered, deliverySpreadMs, jitter: host.random() };
}
