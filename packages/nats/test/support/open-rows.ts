import { randomUUID } from 'node:crypto';
import { monotonicClock } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import type { OpenRows } from '@leadership/tools/rows';
import { type Bucket, type BucketOptions, NatsBucket } from '../../src/bucket.ts';
import { natsRows } from '../../src/rows.ts';
import { bucketName } from './administrator.ts';

/** Rows, and the name of their group. */
export interface NatsRows extends OpenRows {
  readonly group: string;
}

/** Opens the rows of a group of its own, or of the given one. */
export function openRows(
  options: Partial<BucketOptions> & Pick<BucketOptions, 'servers'>,
  hinder: (bucket: Bucket) => Bucket = (bucket) => bucket,
): NatsRows {
  const { member = 'm', group = randomUUID(), bucket: name = bucketName } = options;
  const { thresholdMs = 3000, notifications = true } = options;
  const host = recordingHost(member);
  const place = { bucket: name, group, thresholdMs };
  const bucket = new NatsBucket(
    { ...options, ...place },
    { clock: monotonicClock, random: Math.random },
  );
  const rows = natsRows(hinder(bucket), { ...place, notifications }, host);
  return { rows, host, group, [Symbol.asyncDispose]: async () => rows.close() };
}
