// Maps partitions and groups to hash keys. Kinesis divides the 128-bit key space into one range per
// open shard, and stores a record in the shard whose range contains the record's key. Splits and
// merges move the borders of the ranges, but a key never changes.
import { createHash } from 'node:crypto';

/** A position in the key space of the stream. */
export type HashKey = bigint;

const keys = 2n ** 128n;

/**
 * Returns the key of a partition: the middle of the partition's share. If there are as many shards
 * as partitions, each partition has its own shard.
 */
export function partitionKey(partition: number, partitions: number): HashKey {
  return (keys * BigInt(2 * partition + 1)) / BigInt(2 * partitions);
}

/**
 * Returns the key of messages that concern a whole group. Hashing spreads groups over the stream.
 */
export function groupKey(group: string): HashKey {
  return BigInt(`0x${createHash('md5').update(group).digest('hex')}`);
}
