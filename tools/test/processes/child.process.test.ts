import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

/** Returns whether the process has ended. A zombie counts as ended. */
function hasEnded(pid: number): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], {
    encoding: 'utf8',
  });
  return status !== 0 || stdout.trim().startsWith('Z');
}

const starting = fileURLToPath(new URL('starter.mjs', import.meta.url));

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a child, even a stopped one, is killed when its parent ends by %s',
  async (signal) => {
    const starter = spawn(process.execPath, [starting], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: starter.stdout }), 'line');
    expect(hasEnded(Number(line))).toBe(false);
    starter.kill(signal);
    await vi.waitUntil(() => hasEnded(Number(line)), { timeout: 60_000, interval: 20 });
  },
);
