/**
 * The conformance suite: {@link conformance} lists the promises of every leadership backend as checks that run on
 * any {@link Cluster}. `@leadership/testkit/vitest` turns them into tests.
 *
 * @packageDocumentation
 */
export type { Check } from './conformance/check.ts';
export { type Cluster, type Fault, faultsOf, type MemberOptions, type SpawnOptions, type StoreFault } from './conformance/cluster.ts';
export { type CheckGroup, checkGroups, conformance } from './conformance/conformance.ts';
export { guaranteesOf, reasonToSkip } from './conformance/select.ts';
export type { MemberEvent, MemberWork, ProcessMember, ProcessMemberOptions } from './processes/process-member.ts';
