import type { Cluster, SpawnOptions } from '../conformance/cluster.ts';
import type { ProcessMember } from './process-member.ts';
import { spawnMember } from './spawn-member.ts';

/** How members of a cluster are opened in processes of their own. */
export interface MemberProcesses {
  /** What a member process of the group opens. */
  url(group: string): string;
  /** The module that exports `backend`, for adapters that `openLeadership` does not know or find: see `ProcessMemberOptions`. */
  readonly module?: string;
}

/** A cluster whose members can be processes of their own: what it is made of. */
export type ProcessClusterParts = Omit<Cluster, 'spawn'> & MemberProcesses;

/** An adapter's cluster: how a member is opened here and what URL it is opened with elsewhere, and the faults its store can have. */
export function processCluster({ url, module, ...cluster }: ProcessClusterParts): Cluster {
  const spawn = ({ group, ...options }: SpawnOptions): Promise<ProcessMember> =>
    spawnMember({ ...options, url: url(group), ...(module !== undefined && { module }) });
  return { ...cluster, spawn };
}
