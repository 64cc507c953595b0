/**
 * Tools that the packages of this repository share. They are not for applications and not for other
 * adapters: nothing here is promised, and everything may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { parseAddress } from '../adapter/address.ts';
export { defaults } from '../adapter/resolve-options.ts';
export { follow } from '../async/follow.ts';
export { type Busy, busy } from '../async/in-flight.ts';
export { type Latest, latest, nextWake } from '../async/latest-value.ts';
export { type Bell, bell } from '../async/notifier.ts';
export { type Queue, queue } from '../async/queue.ts';
export { abortable } from '../async/race-signal.ts';
export { keepTrying } from '../async/retry.ts';
export { type Raised, raised } from '../engine/raised.ts';
export { Troubles } from '../engine/troubles.ts';
export { balance } from '../ledger/balance.ts';
export { toRecord } from '../ledger/envelope.ts';
export { manyListeners } from '../process/many-listeners.ts';
export { partitionOf } from '../source/partition-of.ts';
export { type Stream, stream } from '../source/stream.ts';
