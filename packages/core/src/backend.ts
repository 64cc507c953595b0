/**
 * The interface for backends with their own protocol, and the building blocks of their factories.
 * For a store with compare-and-set, implement a `Ledger` instead (`@leadership/core/ledger`), which
 * includes the protocol.
 *
 * @packageDocumentation
 */

export { parseAddress } from './adapter/address.ts';
export { registerBackend } from './adapter/registered-backends.ts';
export { defaults, mergeAddress, type OptionLimits, resolveOptions } from './adapter/resolve-options.ts';
export { type Following, follow } from './async/follow.ts';
export { type Latest, latest, nextWake } from './async/latest-value.ts';
export { type Inbox, inbox } from './async/mailbox.ts';
export { type Queue, queue } from './async/queue.ts';
export { abortable } from './async/race-signal.ts';
export { type BackOff, type Endeavour, keepTrying } from './async/retry.ts';
export { pause } from './async/sleep.ts';
export { type Patience, within } from './async/with-timeout.ts';
export type { LeadershipAddress } from './contract/address.ts';
export type { Backend, Grant, Host, KnownLeader, Membership } from './contract/backend.ts';
export type { BackendModule, ParameterKind, Parameters } from './contract/backend-module.ts';
export type { ResolvedOptions } from './contract/resolved-options.ts';
export { type Raised, raised } from './engine/raised.ts';
export { Troubles } from './engine/troubles.ts';
export { manyListeners } from './process/many-listeners.ts';
export { openSource, type SourceParts } from './source/open-source.ts';
export { partitionOf } from './source/partition-of.ts';
export { type Stream, stream } from './source/stream.ts';
export type { Clock, Wake } from './time/clock.ts';
export { after, type Instant, longAgo, never } from './time/instant.ts';
export { monotonicClock } from './time/monotonic-clock.ts';
