/**
 * The parts that every protocol needs to run, and those that the adapters of this repository share beside
 * `@leadership/core/adapter`: drivers, the shell of a membership, detectors, queues.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { memberAt, placeIn } from '../adapter/place-in.ts';
export { follow } from '../async/follow.ts';
export { type InFlight, inFlight } from '../async/in-flight.ts';
export { latestValue, nextWake } from '../async/latest-value.ts';
export { type Notifier, notifier } from '../async/notifier.ts';
export { type AsyncQueue, asyncQueue } from '../async/queue.ts';
export { raceSignal } from '../async/race-signal.ts';
export { type BackOff, retry, retryUntilDone } from '../async/retry.ts';
export { show } from '../contract/check-option.ts';
export { Balance, balance, type Holding } from '../engine/balance.ts';
export { beaten, newPulse, type Pulse, phi } from '../engine/detector.ts';
export type { Draft } from '../engine/draft.ts';
export { Driver, type NewTimer, type OutputQueue } from '../engine/driver.ts';
export { isThresholdMs, isToken, type JsonFields, metadataOf } from '../engine/envelope.ts';
export { HealthReporter } from '../engine/health-reporter.ts';
export { keepLatest } from '../engine/keep-latest.ts';
export { MembershipShell } from '../engine/membership-shell.ts';
export { PinnedValues } from '../engine/pinned-values.ts';
export { type Presence, presenceIn, publicationFields, publicationIn } from '../engine/presence.ts';
export { endOfTerms, type TermInput, type TermOutput, Terms } from '../engine/terms.ts';
export { leavesRoom, nextToken } from '../engine/tokens.ts';
export { unknownGroup } from '../engine/unknown-group.ts';
export { isLoopback } from '../process/is-loopback.ts';
export { manyListeners } from '../process/many-listeners.ts';
export { nextTurn } from '../process/next-turn.ts';
export { Belief, type BeliefListener } from '../source/belief.ts';
export { partitionOf } from '../source/partition-of.ts';
export { type Stream, stream } from '../source/stream.ts';
export { type Moment, momentOf } from '../time/clock.ts';
export { after, longAgo, never } from '../time/instant.ts';
export { type SuspendWatch, systemSuspendWatch } from '../time/suspend-watch.ts';
