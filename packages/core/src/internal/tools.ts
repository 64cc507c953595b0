/**
 * Tools that the packages of this repository share. They are not for applications and not for other
 * adapters: nothing here is promised, and everything may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { parseAddress } from '../adapter/address.ts';
export { memberAt, placeIn } from '../adapter/place-in.ts';
export { printable } from '../adapter/printable.ts';
export { defaults } from '../adapter/resolve-options.ts';
export {
  codeIn,
  type ErrorMapper,
  type ErrorMeaning,
  errorMapper,
  misconfigured,
} from '../adapter/rows/error-mapper.ts';
export { type RowLeaseRequests, rowLeaseRequests } from '../adapter/rows/lease-requests.ts';
export {
  type MemberRow,
  type MemberRows,
  memberRowsIn,
  type OwnRow,
} from '../adapter/rows/member-rows.ts';
export { presenceRowName, registerRowName, requestRowName } from '../adapter/rows/names.ts';
export { rowPresence } from '../adapter/rows/presence.ts';
export {
  type NotificationListener,
  openingMsOf,
  type ServerChange,
  type ServerRows,
  type ServerRowsOptions,
  serverRows,
} from '../adapter/rows/server-rows.ts';
export { readingMsMax } from '../adapter/rows/table-store.ts';
export {
  checkFields,
  checkTypes,
  connectionNamed,
  loadPackage,
  namesGiven,
  serverIn,
} from '../adapter/server-options.ts';
export { CoolDown } from '../async/cool-down.ts';
export { follow } from '../async/follow.ts';
export { type InFlight, inFlight } from '../async/in-flight.ts';
export { type LatestValue, latestValue, nextWake } from '../async/latest-value.ts';
export { type Notifier, notifier } from '../async/notifier.ts';
export { Once } from '../async/once.ts';
export { type AsyncQueue, asyncQueue } from '../async/queue.ts';
export { raceSignal } from '../async/race-signal.ts';
export { type Closable, Reconnecting } from '../async/reconnecting.ts';
export { retry } from '../async/retry.ts';
export { Shared } from '../async/shared.ts';
export { sleep } from '../async/sleep.ts';
export { named, waitFor } from '../async/waiting.ts';
export { type TimeoutOptions, withTimeout } from '../async/with-timeout.ts';
export { check, show } from '../contract/check-option.ts';
export { publicTrouble } from '../contract/error-json.ts';
export { beaten, newPulse, type Pulse, phi } from '../engine/detector.ts';
export type { Draft } from '../engine/draft.ts';
export { Driver, type OutputQueue } from '../engine/driver.ts';
export { jsonFields } from '../engine/envelope.ts';
export { HealthReporter } from '../engine/health-reporter.ts';
export { MembershipShell } from '../engine/membership-shell.ts';
export { endOfTerms, Terms } from '../engine/terms.ts';
export { isUnknownGroup, unknownGroup } from '../engine/unknown-group.ts';
export { Balance, balance } from '../ledger/balance.ts';
export { toRecord } from '../ledger/envelope.ts';
export { PinnedValues, pinnedIn } from '../ledger/pinned-values.ts';
export { type Observation, provesDeath } from '../ledger/protocol/proof.ts';
export { holderOf, pinRecordOf } from '../ledger/record.ts';
export {
  type GuardHello,
  goodbye,
  guardVariable,
  helloBytesMax,
  identityOf,
  parseHello,
} from '../process/guard/hello.ts';
export { probeAddress } from '../process/guard/probe.ts';
export { manyListeners } from '../process/many-listeners.ts';
export { aborted } from '../process/on-abort.ts';
export { Belief, type BeliefListener } from '../source/belief.ts';
export { reportDeath } from '../source/guarded.ts';
export { observedLeaseMs } from '../source/observed-lease.ts';
export { partitionOf } from '../source/partition-of.ts';
export { type RoleTools, roleToolsOf } from '../source/role-tools.ts';
export { type Stream, stream } from '../source/stream.ts';
export { type Moment, momentOf } from '../time/clock.ts';
export { longAgo, never } from '../time/instant.ts';
export { type SuspendWatch, systemSuspendWatch } from '../time/suspend-watch.ts';
