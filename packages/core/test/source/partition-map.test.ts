import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartitionMap } from '../../src/source/partition-map.ts';

const change = fc.record({
  partition: fc.nat(400),
  value: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
});

describe('a map by partition', () => {
  it('contains what a map contains, in the order of the partitions, and leaves earlier maps unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 8 }), (rounds) => {
        let map = new PartitionMap<string>();
        const model = new Map<number, string>();
        for (const changes of rounds) {
          const before = [map, [...map]] as const;
          const values = new Map(changes.map(({ partition, value }) => [partition, value]));
          const next = map.updated([...values.keys()], (partition) => values.get(partition));
          for (const [partition, value] of values)
            if (value === undefined) model.delete(partition);
            else model.set(partition, value);
          expect([...before[0]]).toEqual(before[1]);
          const expected = [...model].sort(([a], [b]) => a - b);
          expect([[...next], next.size]).toEqual([expected, model.size]);
          expect([...next.keys(), ...next.values()]).toEqual([
            ...expected.map(([partition]) => partition),
            ...expected.map(([, value]) => value),
          ]);
          expect(next.equals(map)).toBe(JSON.stringify(before[1]) === JSON.stringify(expected));
          expect(map.equals(next)).toBe(next.equals(map));
          const some = Array.from({ length: 31 }, (_, index) => 13 * index);
          expect(some.map((partition) => [next.get(partition), next.has(partition)])).toEqual(
            some.map((partition) => [model.get(partition), model.has(partition)]),
          );
          map = next;
        }
      }),
    );
  });

  it('is the same map if no value differs', () => {
    const map = new PartitionMap<string>().updated([3], () => 'a');
    expect(map.updated([3, 5], (partition) => (partition === 3 ? 'a' : undefined))).toBe(map);
    expect(
      map.updated(
        [3],
        () => 'A',
        (a, b) => a?.toLowerCase() === b?.toLowerCase(),
      ),
    ).toBe(map);
  });

  it('is shown like a map, and as an object in JSON', () => {
    const map = new PartitionMap<string>().updated([200, 1], () => 'a');
    expect(map).toBeInstanceOf(Map);
    expect(inspect(map)).toBe("Map(2) { 1 => 'a', 200 => 'a' }");
    expect(JSON.stringify(map)).toBe('{"1":"a","200":"a"}');
    const seen: unknown[] = [];
    map.forEach((value, partition, self) => void seen.push([value, partition, self === map]));
    expect(seen).toEqual([
      ['a', 1, true],
      ['a', 200, true],
    ]);
    expect([map.get(-1), map.get(0.5), map.get(Number.NaN)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
