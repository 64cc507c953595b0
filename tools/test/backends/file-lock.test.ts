import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withFileLock } from '../../src/backends/file-lock.ts';

describe('work under a file lock', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leadership-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('never runs concurrently, and leaves no file behind', async () => {
    const lock = join(folder, 'lock');
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => withFileLock(lock, work)));
    expect(most).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('releases the lock if it fails', async () => {
    const lock = join(folder, 'lock');
    await expect(withFileLock(lock, () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    expect(existsSync(lock)).toBe(false);
  });

  test('does not wait for a process that has ended', async () => {
    const lock = join(folder, 'lock');
    const { pid } = spawnSync('true');
    writeFileSync(lock, String(pid));
    expect(await withFileLock(lock, () => Promise.resolve('done'))).toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('does not wait for an old lock whose process id belongs to another process now', async () => {
    const lock = join(folder, 'lock');
    writeFileSync(lock, String(process.pid));
    const longAgo = Date.now() / 1_000 - 3_600;
    utimesSync(lock, longAgo, longAgo);
    expect(await withFileLock(lock, () => Promise.resolve('done'))).toBe('done');
  });
});
