/**
 * Fault injection for real members: processes that can be killed, stopped and blocked, proxies and connection faults.
 *
 * @packageDocumentation
 */
export { blockLoop } from './faults/block-loop.ts';
export { brokerCluster } from './faults/broker-cluster.ts';
export { CrashDisk, type DoneCall, type Loss, losses } from './faults/crash-disk.ts';
export { freePorts } from './faults/free-ports.ts';
export { memoryCluster } from './faults/memory-cluster.ts';
export { type MemberProcesses, type ProcessClusterParts, processCluster } from './faults/process-cluster.ts';
export type { MemberEvent, MemberEventKind, MemberWork, ProcessMember, ProcessMemberOptions } from './faults/process-member.ts';
export type { Direction } from './faults/proxied-connection.ts';
export { type RejectionWatch, watchRejections } from './faults/rejection-watch.ts';
export { expectNoResourcesLeft, type Resources, resourcesInUse, resourcesLeft } from './faults/resources.ts';
export { spawnMember } from './faults/spawn-member.ts';
export { hamperedWays, type StoreWay, storeWay } from './faults/store-way.ts';
export { type TcpCounters, type TcpProxy, type TcpTarget, tcpProxy } from './faults/tcp-proxy.ts';
export { type Contradiction, contradictions, type HistoryRule } from './history/contradictions.ts';
export type { Belief, Reign, ReignEnd } from './history/reign.ts';
export { reignsOf } from './history/reigns-of.ts';
export type { FencedStore, StoredValue } from './stores/fenced-store.ts';
export { fileFencedStore } from './stores/file-fenced-store.ts';
export { fileUnfencedStore } from './stores/file-unfenced-store.ts';
export { memoryFencedStore } from './stores/memory-fenced-store.ts';
