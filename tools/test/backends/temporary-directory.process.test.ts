import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../src/backends/temporary-directory.ts';

const occupant = fileURLToPath(new URL('occupant.mjs', import.meta.url));
const limit = { timeout: 60_000, interval: 20 };

/** Returns whether the process has ended. A zombie counts as ended. */
function hasEnded(pid: number): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], {
    encoding: 'utf8',
  });
  return status !== 0 || stdout.trim().startsWith('Z');
}

test('processes in a directory, even stopped ones, are killed with its creator, and the directory is removed', async () => {
  const maker = spawn(process.execPath, [occupant], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: maker.stdout }), 'line');
  const { path, pids }: { readonly path: string; readonly pids: readonly number[] } = JSON.parse(
    String(line),
  );
  expect(existsSync(path)).toBe(true);
  expect(pids.filter(hasEnded)).toEqual([]);
  maker.kill('SIGKILL');
  await vi.waitUntil(() => pids.every(hasEnded) && !existsSync(path), limit);
});

test('disposing removes the directory with its contents', async () => {
  const folder = await temporaryDirectory('leadership-temporary');
  writeFileSync(join(folder.path, 'file'), 'text');
  await folder[Symbol.asyncDispose]();
  expect(existsSync(folder.path)).toBe(false);
});

test('a process that has ended is unregistered, because another process may get its id', async () => {
  await using folder = await temporaryDirectory('leadership-temporary');
  const note = folder.occupy(12_345);
  expect(readdirSync(join(folder.path, 'pids'))).toEqual(['12345']);
  note[Symbol.dispose]();
  expect(readdirSync(join(folder.path, 'pids'))).toEqual([]);
});
