// Rule numbers such as L3: docs/reference/rules.md.
/**
 * The conformance suite: {@link conformance} lists the promises of every leadership backend as
 * checks that run on any {@link Cluster}, and {@link rowsChecks} the contract of the port `Rows` of
 * `@leadership/core/adapter` as checks of a {@link RowsStore}. `@leadership/testkit/vitest` turns both
 * into tests.
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
export type { RowsCheck } from './rows/rows-check.ts';
export { rowsChecks } from './rows/rows-checks.ts';
export {
  type OpenRows,
  type RowsFault,
  type RowsStore,
  reasonToSkipRows,
} from './rows/rows-store.ts';
