/**
 * Helpers for unit tests of an adapter: a host that records troubles, a ledger to read and write
 * directly, and polling.
 *
 * @packageDocumentation
 */
export { eventually } from './adapter/eventually.ts';
export { type FollowedLedger, followLedger } from './adapter/follow-ledger.ts';
export { type RecordingHost, recordingHost } from './adapter/recording-host.ts';
export { type StallMeter, stallMeter } from './conformance/stall.ts';
