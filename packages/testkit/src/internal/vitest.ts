/**
 * The contract of the port `Rows` as vitest tests. Nothing here is promised.
 *
 * @internal
 * @packageDocumentation
 */
import type { RowsCheck } from '../rows/rows-check.ts';
import { rowsChecks } from '../rows/rows-checks.ts';
import { type RowsStore, reasonToSkipRows } from '../rows/rows-store.ts';
import { suiteTests } from '../vitest-suite.ts';

/**
 * Defines one test per check. Checks that need what the store cannot do are skipped with a reason.
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
