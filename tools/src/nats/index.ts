/**
 * Real servers of NATS with JetStream: for tests and benchmarks.
 *
 * @packageDocumentation
 */
export { hasNats } from './has-nats.ts';
export { type LocalNats, localNats, type NatsProcess, type NatsSettings } from './local-nats.ts';
