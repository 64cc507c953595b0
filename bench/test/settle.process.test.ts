import { describe, expect, it } from 'vitest';
import { type Size, sizes } from '../src/election/settle.ts';

type Built = typeof import('../src/election/settle.ts');

const [memory, file] = sizes as readonly [Size, Size];
const missing: Size = {
  ...file,
  title: 'elsewhere',
  backend: { ...file.backend, isOffered: async () => false },
};

describe('settle', () => {
  it('says of each size how long it took in T, what was needless, and what is left out', async () => {
    const built = (await import(
      new URL('../dist/election/settle.js', import.meta.url).href
    )) as Built;
    const few = [{ ...memory, partitions: 8 }, { ...file, partitions: 6 }, missing];
    const { figures, notes } = await built.settle({ sizes: few, members: 3, thresholdMs: 1000 });
    expect(figures).toMatchObject({
      name: 'settle',
      unit: 'T',
      runs: 2,
      baseline: 10,
      limit: 1,
      better: 'lower',
    });
    expect(figures.ratio).toBeCloseTo(figures.p99 / 10);
    expect(notes).toEqual([
      expect.stringMatching(
        /^memory 8 × 3: settled in [\d.]+ T, \d+ needless terms, worst loop stall \d+ ms/,
      ),
      expect.stringMatching(
        /^file 6 × 3: settled in [\d.]+ T, \d+ needless terms, worst loop stall \d+ ms/,
      ),
      expect.stringMatching(/^elsewhere is left out/),
    ]);
  });
});
