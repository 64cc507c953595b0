// Runs the README's first example with broken setups. It must print the cause, and exit if the
// setup can never work.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { scratchDirectory } from './scratch-directory.ts';

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

interface Started extends AsyncDisposable {
  readonly printed: () => string;
  readonly exited: Promise<unknown>;
}

/** Starts the example of the README. */
function start(url: string): Started {
  const program = resolve(import.meta.dirname, '../src/leader.mjs');
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, LEADERSHIP_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let text = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exited = once(child, 'close').then(([code]) => code);
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { printed: () => text, exited, [Symbol.asyncDispose]: end };
}

it('a directory that cannot be created', async () => {
  await using directory = await scratchDirectory();
  await writeFile(resolve(directory.path, 'plain'), '');
  const { printed, exited } = start(
    `file:${encodeURI(directory.path)}/plain/store?group=billing&partitions=1`,
  );
  expect(await exited).toBe(1);
  // The rejection of `lead` ends the process before Node prints warnings.
  expect(printed()).toContain("code: 'misconfigured-backend'");
  expect(printed()).toMatch(
    /LeadershipError: .*plain\/store.* a part of the path is not a directory/,
  );
});

it('a number of partitions that differs from the group', async () => {
  await using directory = await scratchDirectory();
  const url = `file:${encodeURI(directory.path)}?group=billing&thresholdMs=500`;
  await using first = start(`${url}&partitions=1`);
  await expect.poll(first.printed).toContain('invoice sent in term');
  const { printed, exited } = start(`${url}&partitions=2`);
  expect(await exited).toBe(1);
  expect(printed()).toContain("code: 'partitions-differ'");
  expect(printed()).toContain('group "billing" runs with partitions 1');
});

it('a broker that does not exist', async () => {
  const { printed } = start('kafka://127.0.0.1:1/billing?topic=leadership&partitions=1');
  await expect.poll(printed).toContain('[LEADERSHIP_UNREACHABLE]');
  await expect.poll(printed).toContain('ECONNREFUSED 127.0.0.1:1');
});

it('a port that is in use', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const name = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const { printed } = start(`nerio://${name}/billing?member=${name}&partitions=1&thresholdMs=300`);
  await expect.poll(printed).toContain('EADDRINUSE');
  expect(printed()).toMatch(/\[LEADERSHIP_\w+\] LeadershipWarning: group "billing"/);
  // The process that has the port may be the same program: then two would lead.
  await pause(1500);
  expect(printed()).not.toContain('invoice');
  server.close();
  await expect.poll(printed).toContain('invoice sent in term');
});

it('a misspelled parameter', async () => {
  const { printed, exited } = start('file:./leadership?group=billing&partition=1');
  expect(await exited).toBe(1);
  expect(printed()).toContain('a file: URL has no parameter partition; did you mean partitions?');
});
