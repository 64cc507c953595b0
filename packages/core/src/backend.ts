/**
 * The interface for backends with their own protocol, and the building blocks of their factories.
 * For a store with compare-and-set, implement a `Ledger` instead (`@leadership/core/ledger`), which
 * includes the protocol.
 *
 * @packageDocumentation
 */
export type { LeadershipAddress } from './contract/address.ts';
export type { Backend, Grant, Host, KnownLeader, Membership } from './contract/backend.ts';
export type { BackendModule, ParameterKind, Parameters } from './contract/backend-module.ts';
export type { ResolvedOptions } from './contract/resolved-options.ts';
export { type Following, follow } from './flow/follow.ts';
export { type Inbox, inbox } from './flow/inbox.ts';
export { type BackOff, type Endeavour, keepTrying } from './flow/keep-trying.ts';
export { type Latest, latest, nextWake } from './flow/latest.ts';
export { pause } from './flow/pause.ts';
export { type Queue, queue } from './flow/queue.ts';
export { type Raised, raised } from './flow/raised.ts';
export { type Patience, within } from './flow/within.ts';
export { Troubles } from './ledger/troubles.ts';
export { manyListeners } from './process/many-listeners.ts';
export { abortable } from './source/abortable.ts';
export { parseAddress } from './source/address.ts';
export { openSource, type SourceParts } from './source/open-source.ts';
export { partitionOf } from './source/partition-of.ts';
export { registerBackend } from './source/registered-backends.ts';
export { defaults, mergeAddress, type OptionLimits, resolveOptions } from './source/resolve-options.ts';
export { type Stream, stream } from './source/stream.ts';
export type { Clock, Wake } from './time/clock.ts';
export { after, type Instant, longAgo, never } from './time/instant.ts';
export { monotonicClock } from './time/monotonic-clock.ts';
