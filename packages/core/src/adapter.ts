// Rule numbers such as L3: docs/reference/rules.md.
/**
 * Everything that an adapter needs. For a store of rows with compare-and-set, implement
 * {@link Rows}: {@link tableBackend} adds all the rest. For a log, and for a store with better
 * means than polling, implement {@link Ledger}: {@link ledgerBackend} adds the protocol and all
 * guarantees of the ledger lease. For a broker that assigns partitions atomically, implement
 * {@link Assignment} and {@link Beats}: {@link inductionBackend} infers the leader from them, and
 * prefers two leaders over none. A backend with a protocol of its own implements {@link Backend}.
 * {@link openSource} turns any backend into a `LeadershipSource`.
 *
 * @packageDocumentation
 */

export { registerBackend } from './adapter/registered-backends.ts';
export { mergeAddress, type OptionLimits, resolveOptions } from './adapter/resolve-options.ts';
export type { PinnedValues } from './adapter/rows/register-row.ts';
export type {
  DeliveredRow,
  RowChange,
  RowOutcome,
  Rows,
  RowsOpening,
  RowsReading,
} from './adapter/rows/rows.ts';
export { type TableTraits, tableBackend } from './adapter/rows/table-backend.ts';
export { type TableParts, tableLedger } from './adapter/rows/table-ledger.ts';
export type { PinAgreement, TableLedgerOptions } from './adapter/rows/table-options.ts';
export type { TableHost } from './adapter/rows/table-store.ts';
export type { BackOff } from './async/retry.ts';
export type { LeadershipAddress } from './contract/address.ts';
export type { Backend, Grant, Host, KnownLeader, Membership } from './contract/backend.ts';
export type { BackendModule, UrlParameters } from './contract/backend-module.ts';
export type { ResolvedOptions } from './contract/resolved-options.ts';
export type { Assigned, Assignment } from './induction/assignment.ts';
export { inductionBackend } from './induction/backend.ts';
export type { Beat } from './induction/beat.ts';
export { formatBeat, parseBeat } from './induction/beat-envelope.ts';
export type { BeatEvent, Beats } from './induction/beats.ts';
export type {
  InductionOptions,
  InductionParts,
  InductionTraits,
} from './induction/options.ts';
export { type LedgerTraits, ledgerBackend } from './ledger/backend.ts';
export { type BalancedOptions, balanced } from './ledger/balanced.ts';
export { formatRecord, parseRecord } from './ledger/envelope.ts';
export type {
  LeaseRequest,
  LeaseRequests,
  Ledger,
  LedgerEvent,
  TokenFloor,
  WriteOutcome,
} from './ledger/ledger.ts';
export type { Holding, LedgerParts, Placement, Presence, Ranks } from './ledger/placement.ts';
export { type LedgerRecord, pinRegister } from './ledger/record.ts';
export { openSource } from './source/open-source.ts';
export type { Clock } from './time/clock.ts';
export { after, type Instant } from './time/instant.ts';
export { monotonicClock } from './time/monotonic-clock.ts';
