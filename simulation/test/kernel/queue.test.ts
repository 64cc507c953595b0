import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstTime, newQueue, push, shift } from '../../src/kernel/queue.ts';

describe('the event queue', () => {
  test('returns items by time, and items with equal times in insertion order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 }), (times) => {
        const queue = newQueue<readonly [number, number]>();
        times.forEach((time, order) => {
          push(queue, time, [time, order]);
        });
        const out = times.map(() => shift(queue));
        expect(out).toEqual(
          times
            .map((time, order) => [time, order] as const)
            .toSorted(([a, i], [b, j]) => a - b || i - j),
        );
      }),
    );
  });

  test('returns the time of the first item, or infinity when empty', () => {
    const queue = newQueue<string>();
    expect(firstTime(queue)).toBe(Number.POSITIVE_INFINITY);
    push(queue, 7, 'late');
    push(queue, 3, 'soon');
    expect(firstTime(queue)).toBe(3);
  });

  test('grows on demand', () => {
    const queue = newQueue<number>();
    for (let item = 5000; item > 0; item -= 1) push(queue, item, item);
    expect(Array.from({ length: 5000 }, () => shift(queue))).toEqual(
      Array.from({ length: 5000 }, (_, index) => index + 1),
    );
  });
});
