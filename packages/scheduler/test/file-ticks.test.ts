import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileTicks } from '../src/file-ticks.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'file-ticks-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('each time is claimed once, and no earlier one after it', async () => {
  const ticks = fileTicks(join(directory, 'new'));
  expect(await ticks.latest('a')).toBeUndefined();
  expect(await ticks.claim('a', 2000, 1n)).toBe(true);
  expect(await ticks.claim('a', 2000, 2n)).toBe(false);
  expect(await ticks.claim('a', 1000, 2n)).toBe(false);
  expect(await ticks.claim('a', 3000, 2n)).toBe(true);
  expect(await ticks.latest('a')).toBe(3000);
  expect(await ticks.latest('b')).toBeUndefined();
});

test('of many claims of one time at once, one succeeds', async () => {
  // Otherwise the first one, which creates the folder, has ended before the others read it.
  await fileTicks(directory).claim('a', 500, 1n);
  const claims = Array.from({ length: 20 }, () => fileTicks(directory).claim('a', 1000, 1n));
  expect((await Promise.all(claims)).filter(Boolean)).toEqual([true]);
});

test('only the latest claims are kept', async () => {
  const ticks = fileTicks(directory);
  for (let at = 1000; at <= 40_000; at += 1000) expect(await ticks.claim('a', at, 1n)).toBe(true);
  expect((await readdir(join(directory, 'a'))).length).toBe(16);
  expect(await ticks.latest('a')).toBe(40_000);
});

test('the name of a schedule cannot leave the directory', async () => {
  expect(await fileTicks(join(directory, 'in')).claim('../out', 1000, 1n)).toBe(true);
  expect(await readdir(directory)).toEqual(['in']);
});

test('a directory that cannot be created rejects with the cause', async () => {
  await expect(fileTicks('/dev/null/ticks').claim('a', 1000, 1n)).rejects.toThrow('ENOTDIR');
});
