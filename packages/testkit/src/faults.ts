/**
 * Faults on real things: members in processes of their own that can be killed, stopped and blocked.
 *
 * @packageDocumentation
 */
export { blockLoop } from './faults/block-loop.ts';
export { memoryCluster } from './faults/memory-cluster.ts';
export { type ProcessClusterParts, processCluster } from './faults/process-cluster.ts';
export type { MemberEvent, MemberEventKind, MemberWork, ProcessMember, ProcessMemberOptions } from './faults/process-member.ts';
export { spawnMember } from './faults/spawn-member.ts';
