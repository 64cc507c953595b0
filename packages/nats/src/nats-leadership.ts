// Opens a source on NATS, by options (`natsLeadership`) or by URL (`backend`).
import type { LeadershipSource } from '@leadership/core';
import {
  type BackendModule,
  check,
  type Host,
  leaseBackend,
  mergeAddress,
  type OptionLimits,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { type Bucket, type BucketOptions, natsBucket } from './bucket.ts';
import {
  checkOptions,
  defaultBucket,
  type NatsOptions,
  ownOptions,
  parameters,
} from './options.ts';
import { natsRows } from './rows.ts';

/** More were not measured. */
const limits: OptionLimits = { partitions: { max: 256, backend: 'nats' }, own: ownOptions };

/**
 * Opens a source for one member of a group that is kept in a bucket of NATS. It starts at once; `ready()`
 * resolves when the bucket is usable.
 * @throws LeadershipError `invalid-options`
 */
export function natsLeadership(options: NatsOptions): LeadershipSource {
  return natsOver(options, natsBucket);
}

/** Opens a source over a bucket of the caller's own. For tests of this package. */
export function natsOver(
  options: NatsOptions,
  open: (options: BucketOptions, host: Pick<Host, 'clock' | 'random'>) => Bucket,
): LeadershipSource {
  checkOptions(options);
  const { servers, bucket = defaultBucket, create, replicas, inboxPrefix, ...connected } = options;
  const { tls, user, password, token, credentials, credentialsFile, ...others } = connected;
  const { notifications = true, ...common } = others;
  const resolved = resolveOptions(common, limits);
  const { group, thresholdMs } = resolved;
  const place = { bucket, group, thresholdMs, notifications };
  const backend = leaseBackend(
    resolved,
    (host) => natsRows(open({ ...options, bucket, thresholdMs }, host), place, host),
    { showsRenewals: notifications },
  );
  return openSource(backend, resolved);
}

/** The backend module for `openLeadership('nats://HOST:PORT,HOST:PORT/?group=GROUP')`. */
export const backend: BackendModule = {
  scheme: 'nats',
  parameters,
  open(address, options) {
    const { hosts, path } = address;
    check(
      path === '' || path === '/',
      `a nats: URL has no path, but "${path}": name the group and the bucket as in nats://HOST:PORT/?group=GROUP&bucket=BUCKET`,
    );
    // The URL may only ask for TLS; the certificates are then options.
    return natsLeadership(mergeAddress(address, options, { servers: hosts }) as NatsOptions);
  },
};
