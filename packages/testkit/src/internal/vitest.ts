/**
 * The contract of the port `Rows` as vitest tests. Nothing here is promised.
 *
 * @internal
 * @packageDocumentation
 */
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { RowsCheck } from '../rows/rows-check.ts';
import { rowsChecks } from '../rows/rows-checks.ts';
import { type RowsStore, reasonToSkipRows } from '../rows/rows-store.ts';

/**
 * Defines one test per check. Checks that need what the store cannot do are skipped with a reason.
 * @param checks - the checks to run; default: all
 */
export function rowsTests(
  openStore: () => RowsStore | Promise<RowsStore>,
  checks: readonly RowsCheck[] = rowsChecks,
): void {
  describe('the contract of rows', () => {
    let store: RowsStore;
    beforeAll(async () => {
      store = await openStore();
    });
    afterAll(() => store[Symbol.asyncDispose]());
    for (const check of [...checks].sort((a, b) => Number(a.alone) - Number(b.alone))) {
      const define = check.alone ? test : test.concurrent;
      define(`${check.id}: ${check.title}`, async ({ skip }) => {
        const reason = reasonToSkipRows(check.needs, store);
        if (reason !== undefined) skip(reason);
        await check.run(store);
      });
    }
  });
}
