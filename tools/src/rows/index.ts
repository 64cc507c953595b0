/**
 * Tests that the rows of every store pass, whatever keeps them.
 *
 * @packageDocumentation
 */
export { listenerTests, type OpenBehind } from './listener-tests.ts';
export { changed, listed, type OpenGroup, type OpenRows, prepared } from './open-rows.ts';
export { rowsTests, writerTests } from './rows-tests.ts';
