/**
 * Helpers for unit tests of an adapter: a host that records troubles, polling, and stalls of the event
 * loop.
 *
 * @packageDocumentation
 */
export { eventually } from './adapter/eventually.ts';
export { type RecordingHost, recordingHost } from './adapter/recording-host.ts';
export { type StallMeter, stallMeter } from './conformance/stall.ts';
