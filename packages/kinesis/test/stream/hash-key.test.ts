import { describe, expect, it } from 'vitest';
import { groupKey, partitionKey } from '../../src/stream/hash-key.ts';

const keys = 2n ** 128n;

describe('hash keys', () => {
  it('give each partition its own shard if the stream has as many shards of equal size', () => {
    for (const count of [1, 3, 8, 100]) {
      const shards = Array.from(
        { length: count },
        (_, partition) => (partitionKey(partition, count) * BigInt(count)) / keys,
      );
      expect(shards).toEqual(Array.from({ length: count }, (_, shard) => BigInt(shard)));
    }
  });

  it('are 128-bit numbers, also at both ends of the range', () => {
    const ends = [
      partitionKey(0, 65_536),
      partitionKey(65_535, 65_536),
      groupKey(''),
      groupKey('any ✓'),
    ];
    expect(ends.every((key) => key >= 0n && key < keys)).toBe(true);
  });

  it('spread groups over a stream, and never change for a group', () => {
    expect(groupKey('billing')).toBe(groupKey('billing'));
    const halves = Array.from({ length: 64 }, (_, group) => groupKey(`group ${group}`) < keys / 2n);
    expect(new Set(halves).size).toBe(2);
  });
});
