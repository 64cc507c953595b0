import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DynamoDbKind, hasDynamoDb, startDynamoDb } from '@leadership/tools/aws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ask, has, makeTable, put } from './support.ts';

describe.each(['dynamodb-local', 'dynalite'] as const)('%s', async (kind) => {
  describe.runIf(await hasDynamoDb({ kind }))('where it can be started', () => {
    it('is empty at first, compares and sets, and is gone once it is disposed of', async () => {
      const server = await startDynamoDb({ kind });
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

    it('outlives a client that goes away in the middle of a request', async () => {
      await using server = await startDynamoDb({ kind });
      await cutShort(server.url);
      await cutShort(server.url);
      expect((await ask(server.url, 'ListTables', {})).status).toBe(200);
    });

    it('keeps what it needs in a folder of its own, and leaves nothing behind', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'leadership-test-'));
      vi.stubEnv('TMPDIR', folder);
      try {
        const server = await startDynamoDb({ kind });
        await makeTable(server.url);
        const kept = await readdir(folder, { recursive: true });
        await server[Symbol.asyncDispose]();
        // Amazon's own has a native part, which it unpacks.
        expect(kept.some((name) => name.includes('sqlite4java'))).toBe(kind === 'dynamodb-local');
        expect(await readdir(folder)).toEqual([]);
      } finally {
        vi.unstubAllEnvs();
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('ends with whoever started it, however that ended', async () => {
      const url = await dying(kind, '');
      await expect.poll(() => answers(url), { timeout: 20_000 }).toBe(false);
    });

    // By the kernel's word: elsewhere it is a shell that sees to it, and finds in the folder whom.
    it.runIf(process.platform === 'linux')('ends with whoever started it, also where somebody cleared its folder away', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'leadership-test-'));
      const url = await dying(kind, `(await import('node:fs')).rmSync('${folder}', { recursive: true });`, folder);
      await expect.poll(() => answers(url), { timeout: 20_000 }).toBe(false);
    });
  });
});

describe('where there is no Java', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  it('dynalite stands for DynamoDB Local, and a line says so; who asks for that one gets none', async () => {
    vi.stubEnv('JAVA_HOME', '/nowhere');
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB', 'REQUIRE_BACKENDS']) vi.stubEnv(name, '');
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await using server = await startDynamoDb();
    expect(server.name).toMatch(/^dynalite /);
    expect(said).toHaveBeenCalledWith(expect.stringContaining('dynalite stands for DynamoDB Local: Java is missing'));
    expect(await hasDynamoDb({ kind: 'dynamodb-local' })).toBe(false);
    await expect(startDynamoDb({ kind: 'dynamodb-local' })).rejects.toThrow('Java is missing');
  });
});

/** Where a server listened whose starter did that and killed itself. */
async function dying(kind: DynamoDbKind, deed: string, folder: string = tmpdir()): Promise<string> {
  const index = JSON.stringify(fileURLToPath(import.meta.resolve('@leadership/tools/aws')));
  const start = `const { startDynamoDb } = await import(${index}); const { url } = await startDynamoDb({ kind: '${kind}' });`;
  const die = `process.stdout.write(url, () => process.kill(process.pid, 'SIGKILL'));`;
  const env = { ...process.env, TMPDIR: folder };
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${start} ${deed} ${die}`], { env });
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
  expect(stdout).toMatch(/^http/);
  return stdout;
}

/** Sends the beginning of a request, and resets the connection once that was read. */
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
  // It answers as soon as it has read the head, and then waits for the rest.
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
