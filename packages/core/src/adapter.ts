// Rule numbers such as L3: docs/reference/rules.md.
/**
 * Everything that an adapter of a store needs. A store is the port {@link Rows}: named texts that are
 * changed on a condition and read again. {@link leaseBackend} adds the protocol and all guarantees of
 * the lease by session, and {@link openSource} turns the backend into a `LeadershipSource`.
 *
 * {@link pollRows} makes rows of a store that can only list and compare. {@link serverRows} adds what
 * rows of a server have in common: errors with the name of the store ({@link errorMapper}), pauses after
 * refusals, and notifications that are repeated and proved. `rowsTests` of `@leadership/testkit/vitest`
 * are the contract of the port. A backend with a protocol of its own implements {@link Backend}.
 *
 * @packageDocumentation
 */
export {
  type CurrentOptions,
  type OptionKind,
  type OwnOptions,
  ownOptions,
  type ServerTls,
} from './adapter/own-options.ts';
export { registerBackend } from './adapter/registered-backends.ts';
export { mergeAddress, type OptionLimits, resolveOptions } from './adapter/resolve-options.ts';
export {
  type ConnectionField,
  checkConnection,
  checkFields,
  checkHosts,
  checkNames,
  checkTypes,
  connectionNamed,
  type DatabaseOptions,
  databaseBackend,
  hostsBackend,
  loadPackage,
  namesGiven,
  serverIn,
} from './adapter/server-options.ts';
export { checkSecret, checkTls, type Supplied, supplied } from './adapter/supplied.ts';
export { bytesOfText, textOfBytes } from './adapter/text-of-bytes.ts';
export { CoolDown } from './async/cool-down.ts';
export { linesIn } from './async/lines-in.ts';
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
  Capacity,
  Grant,
  Host,
  KnownLeader,
  KnownMember,
  MemberGrant,
  Membership,
  Publication,
} from './contract/backend.ts';
export type { BackendModule, UrlParameters } from './contract/backend-module.ts';
export { check } from './contract/check-option.ts';
export type { ResolvedOptions } from './contract/resolved-options.ts';
export { jsonFields } from './engine/envelope.ts';
export { doubtMsOf, type LeaseTraits, leaseBackend } from './lease/backend.ts';
export { ownershipToken, partitionName } from './lease/records.ts';
export { aborted } from './process/on-abort.ts';
export { changedInOrder, type MakeChange } from './rows/changed-in-order.ts';
export { checkVersion } from './rows/check-version.ts';
export {
  codeIn,
  type ErrorMapper,
  type ErrorMeaning,
  errorMapper,
  misconfigured,
  ReplyError,
  tlsMeanings,
} from './rows/error-mapper.ts';
export {
  ListedExchanges,
  type ListedHistory,
  type ListedRow,
  type ListedRows,
  type ListedStore,
} from './rows/listed-exchanges.ts';
export {
  type ListenOnce,
  type NotificationListener,
  openingMsOf,
  type ServerHost,
  type ServerRowsOptions,
} from './rows/notifications.ts';
export { type Listing, type ListingStore, pollRows } from './rows/poll-rows.ts';
export type {
  Exchange,
  Exchanged,
  NamedText,
  RowChange,
  Rows,
  RowsTraits,
  TokenFloor,
} from './rows/rows.ts';
export {
  type Inspection,
  type ServerExchange,
  type ServerRows,
  serverRows,
} from './rows/server-rows.ts';
export { openSource } from './source/open-source.ts';
export type { Clock } from './time/clock.ts';
export type { Instant } from './time/instant.ts';
export { monotonicClock } from './time/monotonic-clock.ts';
