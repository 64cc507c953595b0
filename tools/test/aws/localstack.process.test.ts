import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasDynamoDb, startDynamoDb, startKinesis } from '@leadership/tools/aws';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTable, put } from './support.ts';

/** No engine of Docker runs where this was written: a stand-in for its client says what would be run. */
describe('LocalStack in a container', () => {
  let folder: string;
  let said: string[];
  const calls = async (): Promise<readonly (readonly string[])[]> =>
    (await readFile(join(folder, 'calls'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as string[]);
  const called = async (verb: string): Promise<readonly (readonly string[])[]> => (await calls()).filter(([first]) => first === verb);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leadership-docker-'));
    const standIn = fileURLToPath(new URL('./docker-stand-in.mjs', import.meta.url));
    await writeFile(join(folder, 'docker'), `#!/bin/sh\nexec '${process.execPath}' '${standIn}' "$@"\n`);
    await chmod(join(folder, 'docker'), 0o755);
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    vi.stubEnv('STAND_IN_FOLDER', folder);
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_KINESIS', 'LOCALSTACK_AUTH_TOKEN'])
      vi.stubEnv(name, '');
    said = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((words) => said.push(String(words)) > 0);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  it('is passed over where no engine answers, also where it was asked for, and what can be started here is', async () => {
    vi.stubEnv('LOCALSTACK_VERSION', '4.14.0');
    await using tables = await startDynamoDb();
    await using streams = await startKinesis();
    expect([tables.name, streams.name].join()).toMatch(/^(DynamoDB Local|dynalite) .*,kinesis-local /);
    expect(said.join('')).toContain('no localstack/localstack:4.14.0, as no engine answers Docker');
    expect(await called('run')).toEqual([]);
  });

  it('is passed over, and not fetched, where Docker does not have it and nobody asked', async () => {
    vi.stubEnv('STAND_IN_HAS', 'engine');
    await using streams = await startKinesis();
    expect(streams.name).toMatch(/^kinesis-local /);
    expect(await called('pull')).toEqual([]);
  });

  it('comes after what the environment names', async () => {
    vi.stubEnv('STAND_IN_HAS', 'engine image');
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    expect((await startDynamoDb()).url).toBe('http://127.0.0.1:1');
    expect(await calls()).toEqual([]);
  });

  it('runs where Docker has it, one service on a port of this host alone, and is removed with its volumes', async () => {
    vi.stubEnv('STAND_IN_HAS', 'engine image');
    expect(await hasDynamoDb()).toBe(true);
    const server = await startDynamoDb();
    try {
      expect(server.name).toBe('localstack/localstack:4.14.0 in a container');
      await makeTable(server.url);
      expect((await put(server.url, 'a')).status).toBe(200);
    } finally {
      await server[Symbol.asyncDispose]();
    }
    await expect.poll(() => fetch(server.url).catch(() => 'gone'), { timeout: 20_000 }).toBe('gone');
    const [[, , , name = ''] = []] = await called('run');
    const { port } = new URL(server.url);
    const settings = [
      'SERVICES=dynamodb',
      'STRICT_SERVICE_LOADING=1',
      'DISABLE_EVENTS=1',
      'SKIP_SSL_CERT_DOWNLOAD=1',
      'DYNAMODB_IN_MEMORY=1',
    ];
    const env = [...settings, 'KINESIS_LATENCY=10'].flatMap((setting) => ['--env', setting]);
    const published = ['--publish', `127.0.0.1:${port}:4566`];
    expect(await called('run')).toEqual([['run', '--detach', '--name', name, ...published, ...env, 'localstack/localstack:4.14.0']]);
    expect(name).toMatch(/^leadership-localstack-/);
    expect(await called('rm')).toEqual([['rm', '--force', '--volumes', name]]);
  });

  it('is of another release only with a token, which goes no way that others can read', async () => {
    vi.stubEnv('STAND_IN_HAS', 'engine');
    vi.stubEnv('LOCALSTACK_VERSION', '2026.3.0');
    await expect(startDynamoDb()).rejects.toThrow('LOCALSTACK_VERSION 2026.3.0 needs LOCALSTACK_AUTH_TOKEN');
    vi.stubEnv('LOCALSTACK_AUTH_TOKEN', 'ls-secret');
    await using server = await startDynamoDb();
    expect(server.name).toBe('localstack/localstack:2026.3.0 in a container');
    expect(await called('pull')).toEqual([['pull', '--quiet', 'localstack/localstack:2026.3.0']]);
    const [run = []] = await called('run');
    expect(run.slice(run.indexOf('LOCALSTACK_AUTH_TOKEN') - 1)).toEqual([
      '--env',
      'LOCALSTACK_AUTH_TOKEN',
      'localstack/localstack:2026.3.0',
    ]);
    expect(JSON.stringify(await calls())).not.toContain('ls-secret');
  });
});
