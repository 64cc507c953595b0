/**
 * Fault injection for real members: processes that can be killed, stopped and blocked, proxies and
 * connection faults.
 *
 * @packageDocumentation
 */
export { CrashDisk, type DoneCall, type Loss, losses } from './faults/crash-disk.ts';
export { freePorts } from './faults/free-ports.ts';
export type { Direction } from './faults/proxied-connection.ts';
export { type RejectionWatch, watchRejections } from './faults/rejection-watch.ts';
export { expectNoResourcesLeft, resourcesInUse } from './faults/resources.ts';
export { faultsThrough, type StoreProxy, storeProxy } from './faults/store-proxy.ts';
export { type TcpCounters, type TcpProxy, type TcpTarget, tcpProxy } from './faults/tcp-proxy.ts';
export type { Belief, TermEnd, TermRecord } from './history/term-record.ts';
export { termRecordsOf } from './history/term-records.ts';
export { type HistoryRule, type Violation, violationsOf } from './history/violations.ts';
export type { FencedStore, StoredValue } from './processes/fenced-store.ts';
export { fileFencedStore } from './processes/file-fenced-store.ts';
export { type ProcessClusterParts, processCluster } from './processes/process-cluster.ts';
export type {
  MemberEvent,
  MemberEventKind,
  MemberWork,
  ProcessMember,
  ProcessMemberOptions,
} from './processes/process-member.ts';
export { spawnMember } from './processes/spawn-member.ts';
