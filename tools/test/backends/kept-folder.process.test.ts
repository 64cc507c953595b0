import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { keptFolder } from '../../src/backends/kept-folder.ts';

const occupant = fileURLToPath(new URL('occupant.mjs', import.meta.url));
const patience = { timeout: 60_000, interval: 20 };

/** No such process; or one that nobody has yet heard the end of. */
function isGone(pid: number): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return status !== 0 || stdout.trim().startsWith('Z');
}

test('whoever works in a folder dies with its maker, stopped or not, and the folder goes', async () => {
  const maker = spawn(process.execPath, [occupant], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: maker.stdout }), 'line');
  const { path, pids }: { readonly path: string; readonly pids: readonly number[] } = JSON.parse(String(line));
  expect(existsSync(path)).toBe(true);
  expect(pids.filter(isGone)).toEqual([]);
  maker.kill('SIGKILL');
  await vi.waitUntil(() => pids.every(isGone) && !existsSync(path), patience);
});

test('a folder that is disposed of goes with what is in it', async () => {
  const folder = await keptFolder('leadership-kept');
  writeFileSync(join(folder.path, 'file'), 'text');
  await folder[Symbol.asyncDispose]();
  expect(existsSync(folder.path)).toBe(false);
});

test('a process that has ended is not killed for what it was: its number may be another now', async () => {
  await using folder = await keptFolder('leadership-kept');
  const note = folder.occupy(12_345);
  expect(readdirSync(join(folder.path, 'pids'))).toEqual(['12345']);
  note[Symbol.dispose]();
  expect(readdirSync(join(folder.path, 'pids'))).toEqual([]);
});
