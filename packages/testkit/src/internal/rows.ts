/**
 * The contract of the port `Rows` as checks that run on any store, with any test runner.
 *
 * It is not promised until a backend uses the port: everything may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export type { RowsCheck } from '../rows/rows-check.ts';
export { rowsChecks } from '../rows/rows-checks.ts';
export {
  type OpenRows,
  type RowsFault,
  type RowsStore,
  reasonToSkipRows,
} from '../rows/rows-store.ts';
