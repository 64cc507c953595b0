// Rule numbers such as L3: docs/reference/rules.md.
/**
 * Everything that an adapter of a store needs. Implement {@link Rows}: {@link tableBackend} adds the
 * protocol and all guarantees of the ledger lease, and {@link openSource} turns the backend into a
 * `LeadershipSource`. {@link serverRows} adds what rows of a server have in common: requests with
 * limits, notifications that are repeated and proved, and {@link errorMapper} for its errors. A backend
 * with a protocol of its own implements {@link Backend}.
 *
 * @packageDocumentation
 */
export { registerBackend } from './adapter/registered-backends.ts';
export { mergeAddress, type OptionLimits, resolveOptions } from './adapter/resolve-options.ts';
export { registerRowName } from './adapter/rows/names.ts';
export type { PinnedFields } from './adapter/rows/register-row.ts';
export type {
  DeliveredRow,
  RowChange,
  RowOutcome,
  Rows,
  RowsOpening,
  RowsReading,
} from './adapter/rows/rows.ts';
export {
  type ServerChange,
  type ServerRows,
  serverRows,
} from './adapter/rows/server-rows.ts';
export { type TableTraits, tableBackend } from './adapter/rows/table-backend.ts';
export type { PinAgreement, TableLedgerOptions } from './adapter/rows/table-options.ts';
export type { TableHost } from './adapter/rows/table-store.ts';
export {
  checkFields,
  checkTypes,
  connectionNamed,
  loadPackage,
  namesGiven,
  serverIn,
} from './adapter/server-options.ts';
export { checkSecret, checkTls, type Supplied, supplied } from './adapter/supplied.ts';
export { CoolDown } from './async/cool-down.ts';
export { Once } from './async/once.ts';
export { raceSignal } from './async/race-signal.ts';
export { type Closable, Reconnecting } from './async/reconnecting.ts';
export type { BackOff } from './async/retry.ts';
export { Shared } from './async/shared.ts';
export { sleep } from './async/sleep.ts';
export { named, waitFor } from './async/waiting.ts';
export { type TimeoutOptions, withTimeout } from './async/with-timeout.ts';
export type { LeadershipAddress } from './contract/address.ts';
export type {
  Backend,
  Grant,
  Host,
  KnownLeader,
  MemberGrant,
  Membership,
} from './contract/backend.ts';
export type { BackendModule, UrlParameters } from './contract/backend-module.ts';
export { check } from './contract/check-option.ts';
export type { ResolvedOptions } from './contract/resolved-options.ts';
export { jsonFields } from './engine/envelope.ts';
export { parseRecord } from './ledger/envelope.ts';
export { holderOf, type LedgerRecord } from './ledger/record.ts';
export { aborted } from './process/on-abort.ts';
export {
  codeIn,
  type ErrorMapper,
  type ErrorMeaning,
  errorMapper,
  misconfigured,
} from './rows/error-mapper.ts';
export {
  type NotificationListener,
  openingMsOf,
  type ServerHost,
  type ServerRowsOptions,
} from './rows/notifications.ts';
export { openSource } from './source/open-source.ts';
export type { Clock } from './time/clock.ts';
export type { Instant } from './time/instant.ts';
export { monotonicClock } from './time/monotonic-clock.ts';
