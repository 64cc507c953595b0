/**
 * The port of a store of rows for the lease by session, and the two stores that this repository has of
 * it. It takes the place of the port `Rows` of `@leadership/core/adapter` once a backend uses it.
 *
 * Until then it is not for applications and not for other adapters: nothing here is promised, and
 * everything may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { doubtMsOf, leaseBackend } from '../lease/backend.ts';
export { incarnationOf, ownershipToken, parseName } from '../lease/records.ts';
export { MemoryRows, MemoryStore } from '../memory/memory-rows.ts';
export { type Log, type LogRowsOptions, logRows } from '../rows/log-rows.ts';
export { MemoryLog } from '../rows/memory-log.ts';
export { type Listing, type ListingStore, pollRows } from '../rows/poll-rows.ts';
export { RowStore } from '../rows/row-store.ts';
export type {
  Exchange,
  Exchanged,
  NamedText,
  RowChange,
  Rows,
  RowsTraits,
  TokenFloor,
} from '../rows/rows.ts';
export {
  type Inspection,
  type ServerExchange,
  type ServerRows,
  serverRows,
} from '../rows/server-rows.ts';
