/**
 * Leader election on NATS: a key-value bucket of JetStream holds the leases of all groups.
 * {@link natsLeadership} opens a source on it, and so does
 * `openLeadership('nats://HOST:PORT,HOST:PORT/?group=GROUP')`.
 *
 * @packageDocumentation
 */
export { backend, natsLeadership } from './nats-leadership.ts';
export type { NatsOptions, NatsTls } from './options.ts';
export type { NatsUrlOptions } from './url-options.ts';
