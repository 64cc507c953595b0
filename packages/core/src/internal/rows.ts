/**
 * Rows beside those of `@leadership/core/adapter`: a log as rows, rows in memory, and the names of rows.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { shardedBackend } from '../lease/backend.ts';
export { incarnationOf, parseName, parsePin, pinName } from '../lease/records.ts';
export type { Shards } from '../lease/sharded.ts';
export { MemoryRows, MemoryStore } from '../memory/memory-rows.ts';
export type { Fetched as LogFetched, LogRecord } from '../rows/log-fold.ts';
export { type Log as LogOfRows, type LogRowsOptions, logRows } from '../rows/log-rows.ts';
export { MemoryLog } from '../rows/memory-log.ts';
export { RowStore } from '../rows/row-store.ts';
