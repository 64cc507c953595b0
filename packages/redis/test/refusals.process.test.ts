import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { eventually } from '@leadership/testkit/adapter';
import { freePorts } from '@leadership/testkit/faults';
import {
  hasLocalRedis,
  type LocalRedis,
  localRedis,
  localRedisCluster,
  localReplica,
  localSentinel,
} from '@leadership/tools/redis';
import { changed, listed, prepared, refusedUserTest } from '@leadership/tools/rows';
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster, createSentinel } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisLeadership } from '../src/index.ts';
import type { NodeRedisClient, RedisConnection } from '../src/options.ts';
import { openRows } from './support/open-rows.ts';

/** The rights that the documentation lists. */
const commands = [
  ...['+eval', '+evalsha', '+info', '+hlen', '+hget', '+hgetall', '+hset', '+hdel'],
  ...['+zadd', '+zcard', '+zrange', '+zrem', '+zremrangebyrank'],
  ...['+publish', '+subscribe', '+wait'],
];
const places = ['resetkeys', '~leadership:*', 'resetchannels', '&leadership:*'];

describe.runIf(await hasLocalRedis())('a server that cannot be used', () => {
  let server: LocalRedis;
  beforeAll(async () => {
    server = await localRedis();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Creates a user with these rights. */
  async function userWith(...rights: readonly string[]): Promise<RedisConnection> {
    const username = `u${randomUUID().slice(0, 8)}`;
    await server.ask('ACL', 'SETUSER', username, 'on', '>p', '-@all', ...rights);
    return { port: server.port, username, password: 'p' };
  }

  async function failure(
    from: Parameters<typeof openRows>[0],
    options: Parameters<typeof openRows>[1] = {},
  ): Promise<{ readonly code: string; readonly message: string }> {
    await using open = openRows(from, options);
    const use = async (): Promise<void> => {
      await prepared(open);
      await listed(open);
      await changed(open, 'a', null, 'one', true);
      await changed(open, 'a', 'one', 'two');
      await changed(open, 'a', 'two', null);
    };
    return await use().then(
      () => ({ code: 'none', message: 'it was used' }),
      ({ code, message }) => ({ code, message }),
    );
  }

  it('serves an observer that may not write', async () => {
    const rights = [
      ...['+eval', '+evalsha', '+info', '+hlen', '+hget', '+hgetall', '+zcard', '+zrange'],
      '+subscribe',
    ];
    const observer = await userWith(...places, ...rights);
    const group = randomUUID();
    await using open = openRows(observer, { group });
    await prepared(open, false);
    expect(await listed(open)).toEqual(new Map());
    await using member = openRows({ port: server.port }, { group });
    await changed(member, 'a', null, 'one');
    expect(await listed(open)).toEqual(new Map([['a', 'one']]));
    await expect(changed(open, 'b', null, 'one')).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('asks for the least rights that its documentation names', async () => {
    const user = await userWith(...places, ...commands);
    await using open = openRows(user);
    await open.rows.listen?.(() => undefined, new AbortController().signal);
    expect([...open.host.warnings]).toEqual([]);
    expect(await failure(user)).toMatchObject({ code: 'none' });
    const { username, password } = user;
    const client = createClient({
      socket: { port: server.port, host: '127.0.0.1' },
      username: String(username),
      password: String(password),
    }) as unknown as NodeRedisClient;
    expect(await failure(client)).toMatchObject({ code: 'none' });
  });

  it.each(commands.filter((right) => !['+subscribe', '+wait', '+eval', '+info'].includes(right)))(
    'names the rights if %s is missing',
    async (right) => {
      const user = await userWith(...places, ...commands.filter((one) => one !== right));
      expect(await failure(user)).toEqual({
        code: 'unauthorized',
        message: expect.stringContaining('the user lacks a right: grant the commands, the key'),
      });
    },
  );

  it.each([
    ['key', ['resetkeys', '~other:*', '&*']],
    ['channel', ['~*', 'resetchannels', '&other:*']],
  ])('names the rights if the %s is another', async (_, rights) => {
    expect(await failure(await userWith(...rights, ...commands))).toMatchObject({
      code: 'unauthorized',
    });
  });

  it('is used, with a warning, if the user may not run INFO', async () => {
    const user = await userWith(...places, ...commands.filter((one) => one !== '+info'));
    expect(await failure(user)).toMatchObject({ code: 'none' });
    await using open = openRows(user);
    await prepared(open);
    expect([...open.host.warnings]).toEqual([expect.stringContaining('grant +info')]);
  });

  it('only polls, with a warning, if the channel may not be received', async () => {
    const user = await userWith(...places, ...commands.filter((one) => one !== '+subscribe'));
    await using open = openRows(user);
    await open.rows.listen?.(() => undefined, new AbortController().signal);
    expect([...open.host.warnings]).toEqual([expect.stringContaining('members only poll')]);
  });

  refusedUserTest(
    async ({ port, password, ...options }) => {
      const user = await userWith('~*', '&*', '+@all');
      return redisLeadership({ ...options, connection: { ...user, port, password } });
    },
    () => server.port,
    () => 'p',
  );

  it('is refused with a wrong password by either package', async () => {
    const user = await userWith('~*', '&*', '+@all');
    const refusal = {
      code: 'unauthorized',
      message: expect.stringContaining('correct user and password'),
    };
    expect(await failure({ ...user, password: 'wrong' })).toEqual(refusal);
    const client = createClient({
      socket: { port: server.port, host: '127.0.0.1' },
      username: String(user.username),
      password: 'wrong',
    }) as unknown as NodeRedisClient;
    expect(await failure(client)).toEqual(refusal);
    const source = redisLeadership({
      group: 'g',
      connection: { ...user, password: 'wrong-secret' },
      log: false,
    });
    const error = await source.ready().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'unauthorized' });
    expect(inspect([error, source.health()], { depth: 9 })).not.toContain('wrong-secret');
    await source.close();
  });

  it('is refused without a password', async () => {
    await using locked = await localRedis({ requirepass: 'p' });
    expect(await failure(locked)).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('the server asks for a password'),
    });
  });

  it('is refused if the key has another type, or the database does not exist', async () => {
    const group = randomUUID();
    await server.ask('SET', `leadership:{${group}}`, 'theirs');
    expect(await failure(server, { group })).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('set another prefix'),
    });
    expect(await failure({ port: server.port, db: 99 })).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the database does not exist'),
    });
  });

  it('is refused if it may delete the key', async () => {
    await using small = await localRedis({
      maxmemory: '100mb',
      'maxmemory-policy': 'allkeys-lru',
    });
    expect(await failure(small)).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('maxmemory-policy is allkeys-lru'),
    });
  });

  it('warns if a restart would lose the leases, and not if a replica has them', async () => {
    await using volatile = await localRedis({ appendonly: 'no' });
    await using open = openRows(volatile);
    await prepared(open);
    expect([...open.host.warnings]).toEqual([expect.stringContaining('appendonly is no')]);
    await using _ = await localReplica(volatile);
    await eventually('the replica is connected', async () =>
      String(await volatile.ask('INFO', 'replication')).includes('connected_slaves:1'),
    );
    await prepared(open);
    expect([...open.host.warnings]).toEqual([]);
    await using kept = openRows(server);
    await prepared(kept);
    expect([...kept.host.warnings]).toEqual([]);
  });

  it('is not used while it is a replica, which also answers no read', async () => {
    await using replica = await localReplica(server);
    const refusal = {
      code: 'unreachable',
      message: expect.stringContaining('the server is a replica'),
    };
    expect(await failure(replica)).toMatchObject(refusal);
    await using open = openRows(replica);
    await expect(listed(open)).rejects.toMatchObject(refusal);
    await expect(changed(open, 'a', null, 'one')).rejects.toMatchObject(refusal);
    await expect(prepared(open, false)).rejects.toMatchObject(refusal);
    await expect(listed(open)).rejects.toMatchObject(refusal);
  });

  it('is not used while it has no memory left', async () => {
    await using full = await localRedis({ maxmemory: '1', 'maxmemory-policy': 'noeviction' });
    expect(await failure(full)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('raise maxmemory'),
    });
  });

  it('counts no write that too few replicas have, and reads nothing until they have it', async () => {
    await using primary = await localRedis();
    const options = { group: randomUUID(), minReplicas: 1, thresholdMs: 400 };
    await using open = openRows(primary, options);
    await using other = openRows(primary, { ...options, minReplicas: 0 });
    await prepared(open);
    const refusal = {
      code: 'unreachable',
      message: expect.stringContaining('0 of 1 replicas have acknowledged the write'),
    };
    await expect(listed(open)).rejects.toMatchObject(refusal);
    await expect(changed(open, 'a', null, 'one')).rejects.toMatchObject(refusal);
    await using _ = await localReplica(primary);
    // The primary counts a new replica only after its first acknowledgement.
    await eventually('the replica counts', () => listed(open).catch(() => undefined));
    expect(await changed(open, 'a', null, 'one')).toEqual({ isDone: true });
    expect(await listed(other)).toEqual(new Map([['a', 'one']]));
  });

  it('finds the primary by Sentinel with either package', async () => {
    await using group = await localSentinel();
    const { sentinel, master } = group;
    const sentinels = [{ host: '127.0.0.1', port: sentinel.port }];
    const client = new Redis({ sentinels, name: master, lazyConnect: true });
    expect(await failure(client)).toMatchObject({ code: 'none' });
    const other = createSentinel({ name: master, sentinelRootNodes: sentinels });
    expect(await failure(other as unknown as NodeRedisClient)).toMatchObject({ code: 'none' });
  });

  it('asks for one more right in a Cluster, with either package', async () => {
    await using cluster = await localRedisCluster();
    const nodes = cluster.servers.map(({ host, port }) => ({ host, port }));
    const user = { username: 'app', password: 'p' };
    const clients = [
      new Cluster(nodes, { lazyConnect: true, redisOptions: user }),
      createCluster({ rootNodes: nodes.map((socket) => ({ socket })), defaults: user }),
    ] as readonly unknown[] as readonly NodeRedisClient[];
    const rights = ['reset', 'on', '>p', '-@all', ...places, ...commands];
    for (const [rest, code] of [
      [[], 'unauthorized'],
      [['+cluster|slots'], 'none'],
      [['<p'], 'unauthorized'],
    ] as const) {
      for (const server of cluster.servers) {
        await server.ask('ACL', 'SETUSER', 'app', ...rights, ...rest);
      }
      for (const client of clients) expect(await failure(client)).toMatchObject({ code });
    }
  });

  it('is refused without TLS, and with a certificate that is not trusted', async () => {
    expect(await failure({ port: server.port, tls: true })).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('a connection by TLS: does the server offer it'),
    });
    const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) =>
      join(server.directory, name),
    ) as [string, string];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const kind = ['-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const files = ['-keyout', key, '-out', certificate, '-days', '2'];
    await promisify(execFile)('openssl', ['req', ...kind, ...files, ...names]);
    const [tls = 0] = await freePorts(1);
    await using _ = await localRedis({
      'tls-port': String(tls),
      'tls-cert-file': certificate,
      'tls-key-file': key,
      'tls-ca-cert-file': certificate,
      'tls-auth-clients': 'no',
    });
    expect(await failure({ host: 'localhost', port: tls })).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('TLS'),
    });
    expect(await failure({ host: 'localhost', port: tls, tls: true })).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the certificate of the server is not trusted'),
    });
    const ca = await readFile(certificate, 'utf8');
    expect(await failure({ host: 'localhost', port: tls, tls: { ca } })).toMatchObject({
      code: 'none',
    });
  });

  it('is refused if it is too old', async () => {
    // No release that is older than 6.2 is installed here: this server only answers as one.
    const old = createServer((socket) =>
      socket.on('data', () =>
        socket.write(':0\r\n$44\r\n# Server\r\nredis_version:6.0.16\r\nrole:master\r\n\r\n'),
      ),
    );
    old.listen(0, '127.0.0.1');
    await once(old, 'listening');
    const { port } = old.address() as AddressInfo;
    expect(await failure({ port })).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the server is Redis 6.0.16, but 6.2 is the oldest'),
    });
    old.close();
  });
});
