import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { type Certificate, makeCertificate } from '@leadership/tools/certificates';
import { hasLocalEtcd, type LocalEtcd, localEtcd } from '@leadership/tools/etcd';
import { changed, listed, prepared, refusedUserTest } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdLeadership } from '../src/index.ts';
import type { EtcdOptions } from '../src/options.ts';
import { type Admin, administrator } from './support/admin.ts';
import { baseOf } from './support/editable-rows.ts';
import { openRows } from './support/open-rows.ts';

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Opens rows, reads them and writes one. Returns the error of that. */
async function failure(
  options: Partial<EtcdOptions> & Pick<EtcdOptions, 'endpoints'>,
): Promise<Failure> {
  await using rows = openRows(options);
  try {
    await prepared(rows);
    await listed(rows);
    await changed(rows, 'a', null, 'one', true);
    return { code: 'none', message: 'it was used' };
  } catch (error) {
    return error as Failure;
  }
}

const saying = (code: string, sentence: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(sentence) });

describe.runIf(await hasLocalEtcd())('servers that cannot be used', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'leadership-etcd-test-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  describe('with authentication', () => {
    let cluster: LocalEtcd;
    let admin: Admin;
    const root = { user: 'root', password: 'root-password' };
    const open = (): Admin => administrator({ endpoints: cluster.endpoints, ...root });

    beforeAll(async () => {
      cluster = await localEtcd();
      // Without authentication, user and password have no effect.
      admin = open();
      await admin.call('auth/user/add', { name: 'root', password: root.password });
      await admin.call('auth/user/grant', { user: 'root', role: 'root' });
      await admin.call('auth/enable', {});
      admin[Symbol.dispose]();
      admin = open();
    });
    afterAll(async () => {
      admin[Symbol.dispose]();
      await cluster[Symbol.asyncDispose]();
    });

    /** Creates a user with a right on the keys that begin with the prefix, which ends with a slash. */
    async function userWith(permType: 'READ' | 'WRITE' | 'READWRITE', prefix: string) {
      const name = `u${randomUUID().slice(0, 8)}`;
      await admin.call('auth/role/add', { name });
      const [key, end] = [prefix, prefix.replace(/\/$/, '0')].map((text) =>
        Buffer.from(text).toString('base64'),
      );
      await admin.call('auth/role/grant', { name, perm: { permType, key, range_end: end } });
      await admin.call('auth/user/add', { name, password: 'p' });
      await admin.call('auth/user/grant', { user: name, role: name });
      return { endpoints: cluster.endpoints, user: name, password: 'p' };
    }

    it('asks for the least rights that its documentation names', async () => {
      const group = randomUUID();
      const user = await userWith('READWRITE', baseOf(group));
      await using rows = openRows({ ...user, group });
      await prepared(rows);
      const stop = new AbortController();
      await rows.rows.listen?.(() => undefined, stop.signal);
      expect([...rows.host.warnings]).toEqual([]);
      expect(await changed(rows, 'a', null, 'one', true)).toEqual({ isDone: true });
      expect(await changed(rows, 'a', 'one', 'two')).toEqual({ isDone: true });
      expect(await changed(rows, 'a', 'two', null)).toEqual({ isDone: true });
      expect(await listed(rows)).toEqual(new Map());
      stop.abort();
    });

    it.each(['READ', 'WRITE'] as const)('names the right with %s only', async (right) => {
      const group = randomUUID();
      expect(await failure({ ...(await userWith(right, baseOf(group))), group })).toEqual(
        saying('unauthorized', 'grant readwrite on these keys'),
      );
    });

    it('names the keys with a right on another group', async () => {
      const group = randomUUID();
      expect(
        await failure({ ...(await userWith('READWRITE', 'leadership/other/')), group }),
      ).toEqual(saying('unauthorized', `keys "${baseOf(group)}": the user lacks a right`));
    });

    it('is refused with a wrong password, and without one', async () => {
      const { endpoints } = cluster;
      expect(await failure({ endpoints, user: 'root', password: 'wrong' })).toEqual(
        saying('unauthorized', 'the server refuses the user'),
      );
      expect(await failure({ endpoints })).toEqual(
        saying('unauthorized', 'the server asks for a user'),
      );
      expect(await failure({ endpoints, token: 'stale.1' })).toEqual(
        saying('unauthorized', 'the token is not valid any more'),
      );
    });

    it('rejects ready() with the reason', async () => {
      const { endpoints } = cluster;
      await using source = etcdLeadership({
        endpoints,
        group: randomUUID(),
        user: 'root',
        password: 'wrong',
        log: false,
      });
      await expect(source.ready()).rejects.toEqual(
        saying('unauthorized', 'the server refuses the user'),
      );
    });

    it('is given a new token after the server has forgotten the old one', async () => {
      let asked = 0;
      const password = (): string => {
        asked += 1;
        return root.password;
      };
      await using rows = openRows({ endpoints: cluster.endpoints, user: 'root', password });
      expect(await listed(rows)).toEqual(new Map());
      await listed(rows);
      expect(asked).toBe(1);
      await cluster.servers[0]?.stop();
      await cluster.servers[0]?.start();
      expect(await listed(rows)).toEqual(new Map());
      expect(asked).toBe(2);
    });

    refusedUserTest(
      ({ port, ...options }) =>
        etcdLeadership({ endpoints: [`127.0.0.1:${port}`], user: 'root', ...options }),
      () => Number(cluster.endpoints[0]?.split(':')[1]),
      () => root.password,
      async () => {
        await cluster.servers[0]?.stop();
        await cluster.servers[0]?.start();
      },
    );
  });

  describe('with TLS', () => {
    let server: Certificate;
    let client: Certificate;
    let named: Certificate;
    let cluster: LocalEtcd;
    let strict: LocalEtcd;
    const local = ({ endpoints }: LocalEtcd): readonly string[] =>
      endpoints.map((endpoint) => endpoint.replace('127.0.0.1', 'localhost'));

    beforeAll(async () => {
      [server, client, named] = await Promise.all([
        makeCertificate(directory, 'server'),
        makeCertificate(directory, 'client'),
        makeCertificate(directory, 'named', '/CN=app'),
      ]);
      const trusted = join(directory, 'trusted.pem');
      await writeFile(trusted, [client, named, server].map(({ pem }) => pem).join(''));
      [cluster, strict] = await Promise.all([
        localEtcd({ tls: server }),
        localEtcd({ tls: { ...server, clientCa: trusted } }),
      ]);
    });
    afterAll(() => Promise.all([cluster, strict].map((one) => one[Symbol.asyncDispose]())));

    it('is refused if the certificate is not trusted, and used if it is', async () => {
      const endpoints = local(cluster);
      for (const tls of [true, { ca: client.pem }])
        expect(await failure({ endpoints, tls })).toEqual(
          saying('misconfigured-backend', 'the certificate of the server is not trusted'),
        );
      expect(await failure({ endpoints, tls: { ca: server.pem } })).toMatchObject({ code: 'none' });
      const { endpoints: byAddress } = cluster;
      expect(await failure({ endpoints: byAddress, tls: { ca: server.pem } })).toEqual(
        saying('misconfigured-backend', 'set tls.ca'),
      );
      const misnamed = { ca: server.pem, servername: 'localhost' };
      expect(await failure({ endpoints: byAddress, tls: misnamed })).toMatchObject({
        code: 'none',
      });
    });

    it('names the option tls if it is missing', async () => {
      expect(await failure({ endpoints: cluster.endpoints })).toEqual(
        saying('unreachable', 'if it expects TLS, set tls'),
      );
    });

    it('is used with a client certificate, which may have no common name once there are users', async () => {
      const endpoints = local(strict);
      const by = ({ pem: cert, keyPem: key }: Certificate) => ({ ca: server.pem, cert, key });
      for (const certificate of [client, named])
        expect(await failure({ endpoints, tls: by(certificate) })).toMatchObject({ code: 'none' });
      const root = { user: 'root', password: 'p' };
      using admin = administrator({ endpoints, ...root, tls: by(client) });
      await admin.call('auth/user/add', { name: 'root', password: 'p' });
      await admin.call('auth/user/grant', { user: 'root', role: 'root' });
      await admin.call('auth/enable', {});
      const used = { endpoints, ...root };
      expect(await failure({ ...used, tls: by(client) })).toMatchObject({ code: 'none' });
      expect(await failure({ ...used, tls: by(named) })).toEqual(
        saying('misconfigured-backend', 'refuses client certificates with a common name'),
      );
    });

    it('names the setting of a gateway that cannot reach its own server', async () => {
      await using alone = await localEtcd({ tls: { ...server, clientCa: client.cert } });
      const tls = { ca: server.pem, cert: client.pem, key: client.keyPem };
      // Now and then the gateway reports a broken pipe: its server had closed the connection first.
      await expect
        .poll(() => failure({ endpoints: local(alone), tls }))
        .toEqual(saying('unreachable', '--trusted-ca-file must trust its certificate too'));
    });

    it('is refused without the certificate that the server asks for', async () => {
      const endpoints = local(strict);
      expect(await failure({ endpoints, tls: { ca: server.pem } })).toEqual(
        saying('misconfigured-backend', 'the server refuses the certificate of this client'),
      );
    });
  });

  it('names TLS if the server does not offer it', async () => {
    await using cluster = await localEtcd();
    expect(await failure({ endpoints: cluster.endpoints, tls: true })).toEqual(
      saying('unreachable', 'does it offer TLS?'),
    );
  });

  it('is refused if the JSON gateway is switched off', async () => {
    await using cluster = await localEtcd({ flags: { 'enable-grpc-gateway': 'false' } });
    expect(await failure({ endpoints: cluster.endpoints })).toEqual(
      saying('misconfigured-backend', '--enable-grpc-gateway'),
    );
  });

  it.each([
    ['{"etcdserver":"3.4.30","etcdcluster":"3.4.0"}', 'the server is etcd 3.4.30, but 3.5 is'],
    ['{"etcdserver":"2.3.8"}', 'the server is etcd 2.3.8'],
    ['{"name":"another program"}', 'the server is not etcd'],
  ])('is refused if it answers %s', async (version, sentence) => {
    const server = createServer((_, response) => response.end(version)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      expect(await failure({ endpoints: [`127.0.0.1:${port}`] })).toEqual(
        saying('misconfigured-backend', sentence),
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('is retried while the database is full', async () => {
    const flags = { 'quota-backend-bytes': String(2 ** 20) };
    await using cluster = await localEtcd({ flags });
    using admin = administrator({ endpoints: cluster.endpoints });
    await eventually('the database is full', async () =>
      admin.put('filler', randomUUID().repeat(5000)).then(
        () => false,
        () => true,
      ),
    );
    expect(await failure({ endpoints: cluster.endpoints })).toEqual(
      saying('unreachable', 'the database is full'),
    );
  });

  it('is retried while the server has no leader, with the reason', async () => {
    await using cluster = await localEtcd({ servers: 3 });
    await Promise.all(cluster.servers.slice(1).map((server) => server.kill()));
    const endpoints = cluster.endpoints.slice(0, 1);
    await eventually('the server notices', async () => {
      const { code, message } = await failure({ endpoints, thresholdMs: 500 });
      return code === 'unreachable' && message.includes('the server has no leader');
    });
  });

  it('closes its connections to a server that does not answer', async () => {
    const sockets = new Set<unknown>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using rows = openRows({ endpoints: [`127.0.0.1:${port}`] });
    const over = new AbortController();
    const reading = listed(rows, over.signal);
    await eventually('it is connected', () => sockets.size === 1);
    over.abort();
    await expect(reading).rejects.toMatchObject({ code: 'unreachable' });
    await eventually('the connection is closed', () => sockets.size === 0);
    server.close();
  });
});
