import { expect, it } from 'vitest';
import { scale, scaleRow } from '../src/election/scale.ts';

it('compares the writes of large and small groups, and says of each what it costs and misses', async () => {
  const sizes = [8, 1000].map((partitions) => ({ partitions, members: 3 }));
  const { figures, rows = [], notes } = await scale({ sizes, thresholdMs: 500 }, scaleRow);
  expect(figures).toMatchObject({ name: 'scale', unit: 'writes/s', limit: 1.1, better: 'lower' });
  expect(figures.ratio).toBeGreaterThan(0.5);
  expect(figures.ratio).toBeLessThan(1.5);
  expect(rows.map((row) => Object.keys(row))).toEqual(
    rows.map(() =>
      'backend members partitions writesPerS readsPerS bytesInPerS bytesOutPerS cpuPct settleT takeOverFirstMs takeOverLastMs loopStallMs joinT moved missed'.split(
        ' ',
      ),
    ),
  );
  expect(rows[0]).toMatchObject({ backend: 'memory', members: 3, partitions: 8, moved: 2 });
  for (const row of rows) expect(Object.values(row)).not.toContain(Number.NaN);
  expect(notes[0]).toMatch(/^8 × 3: writesPerS [\d.]+, readsPerS /);
}, 60_000);
