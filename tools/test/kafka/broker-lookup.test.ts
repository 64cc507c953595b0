import { expect, test } from 'vitest';
import { partitionOf } from '../../src/kafka/broker-lookup.ts';

// The hashes are the results of `"…".hashCode()` in Java.
test.each([
  ['', 0],
  ['a', 97],
  ['members', 948881689],
  ['polygenelubricants', -2147483648],
  ['Mitglieder für später', 1675404806],
])(
  'the coordinator of a group leads the partition that Java hashes the group to: %s',
  (group, hash) => {
    expect(partitionOf(group, 50)).toBe((hash & 0x7fffffff) % 50);
  },
);
