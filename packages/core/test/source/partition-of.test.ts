import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { murmur2 } from '../../src/source/murmur2.ts';
import { partitionOf } from '../../src/source/partition-of.ts';

/** The hashes of Kafka's default partitioner according to Kafka's own tests, with the sign bit. */
const kafkas: readonly (readonly [string, number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
];

describe('a role', () => {
  it.each(kafkas)(
    'named %s is in the partition that Kafka’s partitioner selects for that key (R1)',
    (name, hash) => {
      expect(murmur2(name)).toBe(hash & 0x7fffffff);
      expect(partitionOf(name, 7)).toBe((hash & 0x7fffffff) % 7);
    },
  );

  it('is hashed as UTF-8', () => {
    expect(murmur2('')).toBe(275646681);
    expect(murmur2('ü')).toBe(murmur2(new TextDecoder().decode(new Uint8Array([0xc3, 0xbc]))));
    expect(murmur2('ü')).not.toBe(murmur2('u'));
  });

  it('with a number is in the partition of that number modulo M (R1)', () => {
    expect([0, 1, 7, 8, 9, 2 ** 53 - 1].map((role) => partitionOf(role, 8))).toEqual([
      0, 1, 7, 0, 1, 7,
    ]);
  });

  it('has a partition for every name and number and every M ≥ 1 (R1)', () => {
    const names = [fc.string({ minLength: 1 }), fc.string({ unit: 'binary', minLength: 1 })];
    const roles = fc.oneof(...names, fc.maxSafeNat());
    const holds = (role: string | number, partitions: number): boolean => {
      const partition = partitionOf(role, partitions);
      return (
        Number.isInteger(partition) &&
        partition >= 0 &&
        partition < partitions &&
        partition === partitionOf(role, partitions)
      );
    };
    fc.assert(fc.property(roles, fc.integer({ min: 1, max: 65_536 }), holds));
  });

  it('cannot be empty', () => {
    expect(() => partitionOf('', 8)).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message:
          'role "" is empty, as a variable that is not set: name the role, or give it a number',
      }),
    );
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 53, undefined, null, {}, Symbol.iterator])(
    'cannot be %s',
    (role) => {
      const message = `role ${String(role)}: a numeric role must be a whole number from 0 up; name it as a string otherwise`;
      expect(() => partitionOf(role as never, 8)).toThrow(
        expect.objectContaining({ code: 'invalid-options', message }),
      );
    },
  );
});
