import { expect, it } from 'vitest';
import { redis } from '../src/backends/redis.ts';
import { type ScaleRow, scale, scaleInProcess, scaleOn } from '../src/election/scale.ts';

it('compares the writes of large and small groups, and says of each what it costs and misses', async () => {
  const sizes = [8, 1000].map((partitions) => ({ partitions, members: 3 }));
  const { figures, rows = [], notes } = await scale({ sizes, thresholdMs: 500 }, scaleInProcess);
  expect(figures).toMatchObject({ name: 'scale', unit: 'writes/s', limit: 1.1, better: 'lower' });
  expect(figures.ratio).toBeGreaterThan(0.5);
  expect(figures.ratio).toBeLessThan(1.5);
  expect(rows.map((row) => Object.keys(row))).toEqual(
    rows.map(() =>
      'backend members partitions writesPerS readsPerS bytesInPerS bytesOutPerS cpuPct settleT takeOverFirstMs takeOverLastMs loopStallMs joinT moved closeT missed'.split(
        ' ',
      ),
    ),
  );
  expect(rows[0]).toMatchObject({ backend: 'memory', members: 3, partitions: 8, moved: 2 });
  for (const row of rows) expect(Object.values(row)).not.toContain(Number.NaN);
  expect(notes[0]).toMatch(/^8 × 3: writesPerS [\d.]+, readsPerS /);
}, 60_000);

it.runIf(await redis.isOffered())(
  'measures the same of members that are processes, at the server and between',
  async () => {
    const sizes = [8, 16].map((partitions) => ({ partitions, members: 2 }));
    const { figures, rows = [] } = await scaleOn(redis, { sizes, thresholdMs: 1000 });
    expect(figures).toMatchObject({ name: 'redis-scale', unit: 'writes/s', limit: 1.1 });
    expect(rows[0]).toMatchObject({ backend: 'redis', members: 2, partitions: 8 });
    for (const row of rows) {
      expect(Object.values(row)).not.toContain(Number.NaN);
      const { bytesInPerS = 0, bytesOutPerS = 0, takeOverLastMs = 0 } = row as Partial<ScaleRow>;
      expect(Math.min(bytesInPerS, bytesOutPerS, takeOverLastMs)).toBeGreaterThan(0);
    }
  },
  60_000,
);
