// Rule numbers such as L3: docs/reference/rules.md.
/**
 * The conformance suite: {@link conformance} lists the promises of every leadership backend as
 * checks that run on any {@link Cluster}. `@leadership/testkit/vitest` turns them into tests.
 *
 * @packageDocumentation
 */
export type { Check } from './conformance/check.ts';
export type {
  Cluster,
  Fault,
  MemberOptions,
  SpawnOptions,
  StoreFault,
} from './conformance/cluster.ts';
export {
  type CheckGroup,
  checkGroups,
  conformance,
  corePromises,
} from './conformance/conformance.ts';
export { guaranteesOf, reasonToSkip } from './conformance/select.ts';
