import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hasDynamoDb, startDynamoDb } from '@leadership/tools/aws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ask, has, makeTable, put } from './support.ts';

describe('DynamoDB Local', async () => {
  describe.runIf(await hasDynamoDb())('if it can be started', () => {
    it('is empty at first, supports conditional writes, and ends when it is disposed of', async () => {
      const server = await startDynamoDb();
      try {
        expect((await ask(server.url, 'ListTables', {})).body).toMatchObject({ TableNames: [] });
        await makeTable(server.url);
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => put(server.url, 'a')));
        expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(await has(server.url, 'a')).toBe(true);
        expect(server.environment).toMatchObject({ AWS_ENDPOINT_URL_DYNAMODB: server.url });
      } finally {
        await server[Symbol.asyncDispose]();
      }
      await expect(fetch(server.url)).rejects.toThrow();
    });

    it('keeps running when a client disconnects in the middle of a request', async () => {
      await using server = await startDynamoDb();
      await cutShort(server.url);
      await cutShort(server.url);
      expect((await ask(server.url, 'ListTables', {})).status).toBe(200);
    });

    it('keeps its files in its own directory, and leaves nothing behind', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'leadership-test-'));
      vi.stubEnv('TMPDIR', folder);
      try {
        const server = await startDynamoDb();
        await makeTable(server.url);
        const kept = await readdir(folder, { recursive: true });
        await server[Symbol.asyncDispose]();
        // It extracts a native library.
        expect(kept.some((name) => name.includes('sqlite4java'))).toBe(true);
        expect(await readdir(folder)).toEqual([]);
      } finally {
        vi.unstubAllEnvs();
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('ends when the process that started it is killed', async () => {
      const url = await startAndDie('');
      await expect.poll(() => answers(url), { timeout: 20_000 }).toBe(false);
    });

    // Only on Linux, where the kernel ends the server. On other platforms, a shell ends it and
    // needs the directory to find it.
    it.runIf(process.platform === 'linux')(
      'ends with the process that started it even if its directory was deleted',
      async () => {
        const folder = await mkdtemp(join(tmpdir(), 'leadership-test-'));
        const url = await startAndDie(
          `(await import('node:fs')).rmSync('${folder}', { recursive: true });`,
          folder,
        );
        await expect.poll(() => answers(url), { timeout: 20_000 }).toBe(false);
      },
    );
  });
});

describe('without Java', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  it('no server is started, and the message says what is missing', async () => {
    vi.stubEnv('JAVA_HOME', '/nowhere');
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB', 'REQUIRE_BACKENDS'])
      vi.stubEnv(name, '');
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await hasDynamoDb()).toBe(false);
    expect(said).toHaveBeenCalledWith(expect.stringContaining('Java is missing'));
    await expect(startDynamoDb()).rejects.toThrow('Java is missing');
  });
});

/**
 * Starts a server in another process, which then runs `code` and kills itself. Resolves with the
 * server's URL.
 */
async function startAndDie(code: string, folder: string = tmpdir()): Promise<string> {
  const index = JSON.stringify(fileURLToPath(import.meta.resolve('@leadership/tools/aws')));
  const start = `const { startDynamoDb } = await import(${index}); const { url } = await startDynamoDb();`;
  const die = `process.stdout.write(url, () => process.kill(process.pid, 'SIGKILL'));`;
  const env = { ...process.env, TMPDIR: folder };
  const run = promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', `${start} ${code} ${die}`],
    { env },
  );
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
  expect(stdout).toMatch(/^http/);
  return stdout;
}

/** Sends the beginning of a request, and resets the connection once the server has read it. */
async function cutShort(url: string): Promise<void> {
  const { port, host } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST / HTTP/1.1',
    `host: ${host}`,
    'content-type: application/x-amz-json-1.0',
    'content-length: 100',
    'expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The server responds as soon as it has read the headers, and then waits for the body.
  await once(socket, 'data');
  socket.write('{');
  socket.resetAndDestroy();
  await once(socket, 'close');
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
