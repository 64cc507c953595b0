/**
 * The suites as vitest tests, and fake time for unit tests. The test files of an adapter only call
 * {@link rowsTests} with a store, and {@link conformanceTests} with a cluster.
 *
 * @packageDocumentation
 */
import type { Check } from './conformance/check.ts';
import type { Cluster } from './conformance/cluster.ts';
import { conformance } from './conformance/conformance.ts';
import { guaranteesOf, reasonToSkip } from './conformance/select.ts';
import type { RowsCheck } from './rows/rows-check.ts';
import { rowsChecks } from './rows/rows-checks.ts';
import { type RowsStore, reasonToSkipRows } from './rows/rows-store.ts';
import { suiteTests } from './vitest-suite.ts';

export { passFor, passUntil } from './vitest-time.ts';

/**
 * Defines one test per check. Checks that cannot run on the cluster are skipped with a reason.
 * @param checks - the checks to run; default: all
 */
export function conformanceTests(
  openCluster: () => Cluster | Promise<Cluster>,
  checks: readonly Check[] = conformance,
): void {
  suiteTests({
    title: 'conformance',
    open: openCluster,
    checks,
    skips: async (cluster) => {
      const guarantees = await guaranteesOf(cluster);
      return (check) => reasonToSkip(check, cluster, guarantees);
    },
  });
}

/**
 * Defines one test per line of the contract of `Rows`. Checks that need what the store cannot do are
 * skipped with a reason.
 * @param checks - the checks to run; default: all
 */
export function rowsTests(
  openStore: () => RowsStore | Promise<RowsStore>,
  checks: readonly RowsCheck[] = rowsChecks,
): void {
  suiteTests({
    title: 'the contract of rows',
    open: openStore,
    checks,
    skips: async (store) => (check) => reasonToSkipRows(check.needs, store),
  });
}
