import { expect, it } from 'vitest';
import { workOnce } from '../src/any-backend.ts';
import { scratchDirectory } from './scratch-directory.ts';

it('works once as the leader on each backend, with only the URL changed', async () => {
  await using directory = await scratchDirectory();
  const query = 'thresholdMs=400&partitions=1';
  const urls = [
    `memory:${crypto.randomUUID()}?${query}`,
    `file:${encodeURIComponent(directory.path)}?group=reports&${query}`,
  ];
  const results = await Promise.all(urls.map((url) => workOnce(url, async () => 'report written')));
  expect(results).toEqual([
    'report written; one leader at a time, the next one 417 ms after a crash',
    'report written; one leader at a time, the next one 467 ms after a crash',
  ]);
});
