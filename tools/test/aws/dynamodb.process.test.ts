import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DynamoDbKind, hasDynamoDb, startDynamoDb } from '@leadership/tools/aws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ask, has, put, table } from './support.ts';

describe.each(['dynamodb-local', 'dynalite'] as const)('%s', async (kind) => {
  describe.runIf(await hasDynamoDb({ kind }))('where it can be started', () => {
    it('is empty at first, compares and sets, and is gone once it is disposed of', async () => {
      const server = await startDynamoDb({ kind });
      try {
        expect((await ask(server.url, 'ListTables', {})).body).toMatchObject({ TableNames: [] });
        expect((await ask(server.url, 'CreateTable', table)).status).toBe(200);
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => put(server.url, 'a')));
        expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(await has(server.url, 'a')).toBe(true);
        expect(server.environment).toMatchObject({ AWS_ENDPOINT_URL_DYNAMODB: server.url });
      } finally {
        await server[Symbol.asyncDispose]();
      }
      await expect(fetch(server.url)).rejects.toThrow();
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

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
