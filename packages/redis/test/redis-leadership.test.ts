import { inspect } from 'node:util';
import { openLeadership } from '@leadership/core';
import { parseAddress } from '@leadership/core/internal';
import { describe, expect, it } from 'vitest';
import { keepsLink, redisError } from '../src/errors.ts';
import { backend, type RedisOptions, redisLeadership } from '../src/index.ts';
import { connectionIn, parameters } from '../src/options.ts';
import { checkServer } from '../src/server.ts';

const client = { isCluster: false, duplicate: () => undefined };

describe('the options of redisLeadership', () => {
  it.each<[string, Partial<RedisOptions> & Readonly<Record<string, unknown>>]>([
    ['client and connection are set', { client, connection: 'redis://h' }],
    ['client must be a client of the package ioredis or redis', { client: {} as never }],
    ['connection has no option user; it takes host,', { connection: { user: 'u' } as never }],
    ['did you mean username?', { connection: { userName: 'u' } as never }],
    ['connection.port 6379 must be of type number', { connection: { port: '6379' as never } }],
    ['connection.username', { connection: { username: (() => 'u') as never } }],
    ['connection.password must be a text', { connection: { password: '' } }],
    ['connection.tls must be true, false', { connection: { tls: 'yes' as never } }],
    ['make connection.tls a function', { connection: { tls: { ca: () => 'pem' } } }],
    ['minReplicas -1 must be a number of replicas', { minReplicas: -1 }],
    ['minReplicas 0.5 must be a number of replicas', { minReplicas: 0.5 }],
    ['notifications no must be of type boolean', { notifications: 'no' as never }],
    ['group "" must be a name', { group: '' }],
    ['group "\\ud800" must be a name', { group: '\ud800' }],
    ['prefix 1 must be a text', { prefix: 1 as never }],
    ['partitions 10001 is more than the 10000', { partitions: 10_001 }],
    ['unknown option minReplica; did you mean minReplicas?', { minReplica: 1 }],
  ])('%s', (message, options) => {
    expect(() => redisLeadership({ group: 'g', ...options })).toThrow(message);
  });
});

describe('a connection as text', () => {
  it.each([
    'redis://u:secret@h:port',
    'redis://u:secret/1@h',
    'http://u:secret@h',
    'valkey://u:secret@h',
    'redis://u:secret%@h',
    'u:secret/1@h:6379',
  ])('is refused, and not shown: %s', (connection) => {
    const open = (): unknown => redisLeadership({ group: 'g', connection });
    expect(open).toThrow('connection must be a redis: or rediss: URL');
    expect(open).not.toThrow('secret');
  });

  it.each(['redis://u:p%2F1@h:1/2', 'rediss://h', '//h:1', '127.0.0.1:1', '6379', '/no.sock?db=1'])(
    'is used as ioredis does: %s',
    async (connection) => {
      await redisLeadership({ group: 'g', connection, log: false }).close();
    },
  );
});

describe('the guarantees', () => {
  it('name what a fail-over of Redis can break', async () => {
    const source = redisLeadership({ group: 'g', connection: { port: 1 }, log: false });
    expect(source.guarantees.assumes).toContain('lossless-failover');
    await source.close();
  });
});

describe('the URL', () => {
  it.each([
    ['redis://db.example:6380/2?group=g', { host: 'db.example', port: 6380, db: 2 }],
    ['rediss://db.example?group=g', { host: 'db.example', tls: true }],
    ['valkey://db.example?group=g&username=u', { host: 'db.example', username: 'u' }],
    ['redis://[::1]:6380', { host: '::1', port: 6380 }],
    ['redis:?group=g', {}],
  ])('%s names the server', (url, connection) => {
    expect(connectionIn(parseAddress(url, parameters))).toEqual(connection);
  });

  const load = (): Promise<unknown> => Promise.resolve({ backend });

  it('opens a source under its schemes', async () => {
    for (const scheme of ['redis', 'rediss', 'valkey'] as const) {
      const source = await openLeadership(`${scheme}://127.0.0.1:1?group=g`, { load, log: false });
      expect(source.guarantees.exclusive).toBe(true);
      await source.close();
    }
  });

  it.each([
    ['redis://u:p@h?group=g', 'secrets never go in the URL'],
    ['redis://a,b?group=g', 'the URL names 2 hosts'],
    ['redis://a/x?group=g', 'the path of a URL of Redis must be the number of a database'],
  ] as const)('rejects %s', async (url, message) => {
    await expect(openLeadership(url, { load })).rejects.toThrow(message);
  });

  it('rejects a client beside a host', async () => {
    await expect(openLeadership('redis://a?group=g', { load, client })).rejects.toThrow(
      'the URL and an option both name the server',
    );
  });
});

describe('the server', () => {
  const info = (fields: Readonly<Record<string, string>>): string =>
    `# Server\r\n${Object.entries({ redis_version: '7.0.15', role: 'master', ...fields })
      .map(([name, value]) => `${name}:${value}\r\n`)
      .join('')}`;

  it.each([
    ['the server is Redis 6.0.16, but 6.2 is the oldest', { redis_version: '6.0.16' }],
    ['role:slave', { role: 'slave' }],
    ['maxmemory-policy is allkeys-lru', { maxmemory: '100', maxmemory_policy: 'allkeys-lru' }],
  ])('is refused: %s', (message, fields) => {
    expect(() => checkServer(info(fields))).toThrow(message);
  });

  it.each([
    [{}],
    [{ redis_version: '6.2.0' }],
    [{ redis_version: '10.0.1' }],
    [{ maxmemory: '0', maxmemory_policy: 'allkeys-lru' }],
    [{ maxmemory: '100', maxmemory_policy: 'volatile-lru' }],
  ])('is used: %o', (fields) => {
    expect(() => checkServer(info(fields))).not.toThrow();
  });
});

describe('an error of the server', () => {
  it.each([
    ['WRONGPASS invalid username-password pair', 'unauthorized', 'correct user and password'],
    ['NOPERM this user has no permissions', 'unauthorized', 'lacks a right'],
    [
      "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -READONLY You can't write",
      'unreachable',
      'the server is a replica',
    ],
    ['LOADING Redis is loading the dataset in memory', 'unreachable', 'loading its data'],
    ['CLUSTERDOWN The cluster is down', 'unreachable', 'a shard has no primary'],
    ['OOM command not allowed', 'unreachable', 'raise maxmemory'],
    ['WRONGTYPE Operation against a key', 'misconfigured-backend', 'set another prefix'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'unreachable', 'ECONNREFUSED'],
    ['no start line', 'misconfigured-backend', 'must be PEM', 'ERR_OSSL_PEM_NO_START_LINE'],
  ])('%s', (message, code, advice, given = '') => {
    const error = Object.assign(new Error(message), given && { code: given });
    expect(redisError(error, 'key "k"')).toMatchObject({
      code,
      message: expect.stringContaining(advice),
    });
  });

  it('does not show the command, whose arguments may be a password', () => {
    const refused = (): Error =>
      Object.assign(new Error('ERR x'), { command: { name: 'auth', args: ['secret'] } });
    const errors = [
      refused(),
      new Error('outer', { cause: refused() }),
      Object.assign(new Error('Cluster'), { lastNodeError: refused() }),
      new AggregateError([refused()]),
    ];
    for (const error of errors)
      expect(inspect(redisError(error, 'key "k"'), { depth: 9 })).not.toContain('secret');
  });

  it.each([
    ['NOSCRIPT No matching script', true],
    ['ERR something', true],
    ['READONLY You are a replica', false],
    ['LOADING Redis is loading', false],
    ['Connection is closed.', false],
  ])('%s: the connection can go on: %s', (message, keeps) => {
    expect(keepsLink(new Error(message))).toBe(keeps);
  });
});
