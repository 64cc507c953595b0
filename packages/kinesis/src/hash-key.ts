// Where on a stream a record travels: Kinesis cuts the numbers of 128 bits into ranges, one for each open shard, and a record goes
// where its hash key falls. Splits and merges move the borders; a key stays what it is.
import { createHash } from 'node:crypto';

/** A place on the stream. */
export type HashKey = bigint;

const keys = 2n ** 128n;

/** The key of a partition: the middle of its share, so that with a shard for each partition, each has its own. */
export function partitionKey(partition: number, partitions: number): HashKey {
  return (keys * BigInt(2 * partition + 1)) / BigInt(2 * partitions);
}

/** The key of what concerns a whole group: groups that share a stream are spread over it. */
export function groupKey(group: string): HashKey {
  return BigInt(`0x${createHash('md5').update(group).digest('hex')}`);
}
