import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { precedes, weightOf } from '../../src/protocol/election/rendezvous.ts';

function firstOf(members: readonly string[], partition: number): string | undefined {
  return members.toSorted((a, b) => (precedes(a, b, partition) ? -1 : 1))[0];
}

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 2 });

describe('rendezvous hashing (S4)', () => {
  test('a candidate that goes moves only its own partitions', () => {
    fc.assert(
      fc.property(names, fc.nat(255), fc.nat(), (members, partition, index) => {
        const gone = members[index % members.length];
        const before = firstOf(members, partition);
        const after = firstOf(
          members.filter((name) => name !== gone),
          partition,
        );
        expect(after === before || before === gone).toBe(true);
      }),
    );
  });

  test('spreads partitions over names that differ in one digit', () => {
    const members = Array.from({ length: 5 }, (_, index) => `node-${index}.example:7400`);
    const counts = new Map(members.map((name) => [name, 0]));
    for (let partition = 0; partition < 1000; partition += 1) {
      const first = firstOf(members, partition) ?? '';
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    // 200 each; five standard deviations are 63.
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(63);
  });

  test('orders any two names, in one way', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(255), (a, b, partition) => {
        fc.pre(a !== b);
        expect(precedes(a, b, partition)).toBe(!precedes(b, a, partition));
        expect(weightOf(a, partition)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
