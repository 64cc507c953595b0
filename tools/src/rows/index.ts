/**
 * Tests that the rows of every store pass, whatever keeps them.
 *
 * @packageDocumentation
 */

export {
  type AnyRows,
  changed,
  listed,
  type OpenGroup,
  type OpenRows,
  prepared,
} from './open-rows.ts';
export { rowsTests, writerTests } from './rows-tests.ts';
export { type OpenBehind, silenceTests } from './silence-tests.ts';
