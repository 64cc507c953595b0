// What a machine is told of its member and of its store.
import type { Host } from '../contract/backend.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { Rows } from '../rows/rows.ts';
import type { LeaseConfig } from './types.ts';

/** Returns the configuration of a machine. */
export function configOf(options: ResolvedOptions, rows: Rows, host: Host): LeaseConfig {
  const { traits, floor, listen } = rows;
  const { group, partitions, thresholdMs, thresholdMsMax, driftRate, metadata, campaign } = options;
  const { partitionsMax } = options;
  const { member, incarnation } = host;
  const limit = { ...(partitionsMax !== undefined && { partitionsMax }) };
  const own = { group, member, incarnation, metadata, campaign, ...limit, jitter: host.random() };
  const store = { hasFloor: floor !== undefined, isSilent: listen === undefined };
  return { ...own, ...store, partitions, thresholdMs, thresholdMsMax, driftRate, traits };
}
