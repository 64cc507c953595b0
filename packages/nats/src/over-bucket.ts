// Opens a source over a bucket. The declarations of the client do not compile with all options of
// TypeScript, so those of the public functions must not import them.
import type { LeadershipSource } from '@leadership/core';
import { type Host, leaseBackend, openSource } from '@leadership/core/adapter';
import type { Bucket, BucketOptions } from './bucket.ts';
import { checkOptions, defaultBucket, type NatsOptions, own } from './options.ts';
import { natsRows } from './rows.ts';

/** More were not measured. */
const partitions = { max: 256, backend: 'nats' };

/** Opens a source over a bucket: the client's, or one of a test. */
export function natsOver(
  options: NatsOptions,
  open: (options: BucketOptions, host: Pick<Host, 'clock' | 'random'>) => Bucket,
): LeadershipSource {
  const { bucket = defaultBucket, notifications = true } = options;
  checkOptions(options);
  const resolved = own.resolve(options, partitions);
  const { group, thresholdMs } = resolved;
  const place = { bucket, group, thresholdMs, notifications };
  const backend = leaseBackend(
    resolved,
    (host) => natsRows(open({ ...options, bucket, thresholdMs }, host), place, host),
    { showsRenewals: notifications },
  );
  return openSource(backend, resolved);
}
