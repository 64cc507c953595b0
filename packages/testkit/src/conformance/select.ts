// Decides which checks run on a cluster.
import type { Guarantees } from '@leadership/core';
import { missingFaults } from '../missing-faults.ts';
import type { Check } from './check.ts';
import { type Cluster, faultsOf } from './cluster.ts';

/**
 * Returns a readable reason to skip the check on this cluster, or `undefined` if the check can run.
 */
export function reasonToSkip(
  check: Check,
  cluster: Cluster,
  guarantees: Guarantees,
): string | undefined {
  const faults = faultsOf(cluster);
  const missing = check.needs.filter((need) => !faults.has(need));
  if (missing.length > 0)
    return `${cluster.name} cannot inject: ${missingFaults(missing, cluster.cannot)}`;
  if (check.appliesTo?.(guarantees) === false)
    return `${cluster.name} does not guarantee what this is about`;
  return undefined;
}

/** Returns the guarantees of the cluster's sources, read from a temporary observer. */
export async function guaranteesOf(cluster: Cluster): Promise<Guarantees> {
  const group = `guarantees-${crypto.randomUUID().slice(0, 8)}`;
  await using source = cluster.open({
    group,
    member: 'asker',
    thresholdMs: cluster.thresholdMs,
    partitions: 1,
    campaign: false,
  });
  return source.guarantees;
}
