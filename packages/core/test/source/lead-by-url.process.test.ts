// Members as processes that call `lead(url, work)`: how signals end them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** The work prints, and goes on for a while after its term began to end. */
const program = (drainMs: number) => `
  import { setTimeout as pause } from 'node:timers/promises';
  import { lead } from '@leadership/core';
  // Process managers such as PM2 hold a channel to the process, and listen on it inside.
  process.on('message', () => undefined);
  await lead(process.env.URL, async (term) => {
    console.log('leads');
    while (!term.signal.aborted) await pause(20);
    console.log('ends');
    await pause(${drainMs});
    console.log('ended');
  }, { role: 'job', drainTimeoutMs: 60_000 });
  console.log('closed');
`;

let directory: string;
const running = new Set<ChildProcess>();
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lead-by-url-'));
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

function start(drainMs: number) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(drainMs)], {
    env: { ...process.env, URL: `file:${encodeURI(directory)}?group=g&thresholdMs=10000` },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  running.add(child);
  const exited = once(child, 'exit').finally(() => running.delete(child));
  const lines: string[] = [];
  const { stdout } = child;
  if (stdout) createInterface({ input: stdout }).on('line', (line) => lines.push(line));
  return { child, lines, exited };
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  'close in order on %s, once the work has ended, and exit',
  async (signal) => {
    const first = start(200);
    await expect.poll(() => first.lines, { timeout: 60_000 }).toContain('leads');
    const second = start(0);
    // Ctrl-C reaches the process twice under npm: both are one request.
    first.child.kill(signal);
    first.child.kill(signal);
    expect(await first.exited).toEqual([0, null]);
    expect(first.lines).toEqual(['leads', 'ends', 'ended', 'closed']);
    // T is 10 s: the successor did not wait for the lease.
    const at = performance.now();
    await expect.poll(() => second.lines, { timeout: 60_000 }).toContain('leads');
    expect(performance.now() - at).toBeLessThan(8000);
    second.child.kill('SIGKILL');
    await second.exited;
  },
);

it('end at once on a second signal', async () => {
  const { child, lines, exited } = start(60_000);
  await expect.poll(() => lines, { timeout: 60_000 }).toContain('leads');
  child.kill('SIGINT');
  await expect.poll(() => lines).toContain('ends');
  await new Promise((resolve) => setTimeout(resolve, 700));
  child.kill('SIGINT');
  expect(await exited).toEqual([null, 'SIGINT']);
  expect(lines).not.toContain('ended');
});
