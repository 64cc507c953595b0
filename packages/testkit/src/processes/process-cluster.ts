// Builds the cluster that the conformance suite tests from the parts of an adapter.
import type { Cluster, SpawnOptions } from '../conformance/cluster.ts';
import type { ProcessMember } from './process-member.ts';
import { spawnMember } from './spawn-member.ts';

/**
 * Creates the cluster of an adapter from a function that opens members, the URL for member
 * processes, and the store's faults.
 */
export function processCluster({
  url,
  module,
  env = {},
  ...cluster
}: Omit<Cluster, 'spawn'> & {
  /** Returns the URL that a member process of the group opens. */
  url(group: string): string;
  /**
   * The module that exports `backend`, for adapters that `openLeadership` cannot load. See
   * `ProcessMemberOptions`.
   */
  readonly module?: string;
  /** Variables of the environment of member processes, such as a password. */
  readonly env?: Readonly<Record<string, string>>;
}): Cluster {
  const spawn = ({ group, ...options }: SpawnOptions): Promise<ProcessMember> =>
    spawnMember({ ...options, url: url(group), ...(module !== undefined && { module }) }, env);
  return { ...cluster, spawn };
}
