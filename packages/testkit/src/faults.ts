/**
 * Fault injection for real members: processes that can be killed, stopped and blocked, proxies and
 * connection faults.
 *
 * @packageDocumentation
 */
export { CrashDisk, type DoneCall, type Loss, losses } from './faults/crash-disk.ts';
export { freePorts } from './faults/free-ports.ts';
export { watchRejections } from './faults/rejection-watch.ts';
export { expectNoResourcesLeft, resourcesInUse } from './faults/resources.ts';
export { type EditableRows, rowFaults } from './faults/row-faults.ts';
export {
  type ProxiedMember,
  proxiedMembers,
  type StoreProxy,
  storeProxy,
} from './faults/store-proxy.ts';
export { type TcpProxy, tcpProxy } from './faults/tcp-proxy.ts';
export {
  type UdpNoise,
  type UdpProxy,
  type UdpProxyOptions,
  udpProxy,
} from './faults/udp-proxy.ts';
export type { TermRecord } from './history/term-record.ts';
export { termRecordsOf } from './history/term-records.ts';
export { type Violation, violationsOf } from './history/violations.ts';
export type { FencedStore } from './processes/fenced-store.ts';
export { fileFencedStore } from './processes/file-store.ts';
export { processCluster } from './processes/process-cluster.ts';
export type {
  MemberEvent,
  MemberWork,
  ProcessMember,
  ProcessMemberOptions,
  SpawnedMember,
} from './processes/process-member.ts';
export { runOnExit } from './processes/run-on-exit.ts';
export { spawnMember, spawnProgram } from './processes/spawn-member.ts';
