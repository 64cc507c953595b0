// Opens a source on NATS, by options (`natsLeadership`) or by URL (`backend`).
import type { LeadershipSource } from '@leadership/core';
import { type BackendModule, hostsBackend } from '@leadership/core/adapter';
import { NatsBucket } from './bucket.ts';
import { type NatsOptions, own } from './options.ts';
import { natsOver } from './over-bucket.ts';

/**
 * Opens a source for one member of a group that is kept in a bucket of NATS. It starts at once; `ready()`
 * resolves when the bucket is usable.
 * @throws LeadershipError `invalid-options`
 */
export function natsLeadership(options: NatsOptions): LeadershipSource {
  return natsOver(options, (place, host) => new NatsBucket(place, host));
}

/** The backend module for `openLeadership('nats://HOST:PORT,HOST:PORT/?group=GROUP')`. */
export const backend: BackendModule = hostsBackend(
  'nats',
  own.parameters,
  'servers',
  natsLeadership,
);
