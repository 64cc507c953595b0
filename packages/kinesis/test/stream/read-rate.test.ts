import { describe, expect, it } from 'vitest';
import { readingMs, readRate } from '../../src/stream/read-rate.ts';

const even = () => 0.5;

describe('a read rate', () => {
  it.each([1, 2, 3, 10])('keeps %d readers together below five reads per second', (readers) => {
    const periodMs = readRate({ readers: () => readers, lastMs: 1000, random: even }).nextMs();
    expect((readers * 1000) / periodMs).toBeLessThan(5);
    expect((readers * 1000) / periodMs).toBeGreaterThan(4);
  });

  it('follows the number of readers', () => {
    let readers = 1;
    const one = readRate({ readers: () => readers, lastMs: 1000, random: even });
    const aloneMs = one.nextMs();
    readers = 4;
    expect(one.nextMs()).toBe(4 * aloneMs);
  });

  it('slows down with each refusal up to a limit, and recovers with answers', () => {
    const one = readRate({ readers: () => 1, lastMs: 2000, random: even });
    const refused = Array.from({ length: 10 }, () => {
      one.refused();
      return one.nextMs();
    });
    expect(refused).toEqual([...refused].sort((a, b) => a - b));
    expect(refused[0]).toBe(2 * readingMs(1));
    expect(refused.at(-1)).toBeCloseTo(2000);
    for (let answer = 0; answer < 5; answer += 1) one.answered();
    expect(one.nextMs()).toBe(readingMs(1));
  });

  it('never falls below the reader’s share, even if the limit is shorter', () => {
    const one = readRate({ readers: () => 10, lastMs: 100, random: even });
    one.refused();
    expect(one.nextMs()).toBe(readingMs(10));
  });

  it('varies between readers, and most after a refusal', () => {
    const spreadMs = (refusals: number): number => {
      const [first = 0, last = 0] = [0, 1].map((random) => {
        const one = readRate({ readers: () => 1, lastMs: 10_000, random: () => random });
        for (let refusal = 0; refusal < refusals; refusal += 1) one.refused();
        return one.nextMs() / readingMs(1) / 2 ** refusals;
      });
      return last - first;
    };
    expect(spreadMs(0)).toBeCloseTo(0.2);
    expect(spreadMs(1)).toBeCloseTo(1);
  });
});
