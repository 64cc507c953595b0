import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { type Certificate, makeCertificate } from '@leadership/tools/certificates';
import { hasLocalEtcd, type LocalEtcd, localEtcd } from '@leadership/tools/etcd';
import { listed, prepared } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdLeadership } from '../src/index.ts';
import { administrator } from './support/admin.ts';
import { openRows } from './support/open-rows.ts';

const root = { user: 'root', password: 'root-password' };

/** Returns how often the server has authenticated a user since its start. */
async function authentications({ servers }: LocalEtcd): Promise<number> {
  const text = await (await fetch(`${servers[0]?.metricsUrl}/metrics`)).text();
  const counter = /grpc_server_started_total\{grpc_method="Authenticate"[^}]*\} (\d+)/;
  return Number(counter.exec(text)?.[1] ?? 0);
}

describe.runIf(await hasLocalEtcd())('a server that hashes passwords slowly', () => {
  // Each authentication takes a part of a second, which is more than T/3.
  const thresholdMs = 150;
  let cluster: LocalEtcd;
  beforeAll(async () => {
    cluster = await localEtcd({ flags: { 'bcrypt-cost': '12' } });
    using admin = administrator({ endpoints: cluster.endpoints });
    await admin.call('auth/user/add', { name: 'root', password: root.password });
    await admin.call('auth/user/grant', { user: 'root', role: 'root' });
    await admin.call('auth/enable', {});
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  it('authenticates a member once, although its requests end before that', async () => {
    const before = await authentications(cluster);
    await using rows = openRows({ endpoints: cluster.endpoints, ...root, thresholdMs });
    for (let n = 0; n < 5; n += 1)
      await expect(listed(rows, AbortSignal.timeout(10))).rejects.toThrow();
    expect(await listed(rows)).toEqual(new Map());
    expect((await authentications(cluster)) - before).toBe(1);
  });

  it('serves a member whose T is shorter than an authentication, also after a restart', async () => {
    await using source = etcdLeadership({
      endpoints: cluster.endpoints,
      group: randomUUID(),
      partitions: 1,
      log: false,
      ...root,
      thresholdMs,
    });
    await source.ready();
    const role = source.role('r');
    await eventually('it leads', () => role.isLeading());
    await cluster.servers[0]?.kill();
    await cluster.servers[0]?.start();
    await eventually('it leads again', () => role.isLeading() && source.health().ok);
    // One for the restart, and one if a server was asked before it could answer.
    expect(await authentications(cluster)).toBeLessThanOrEqual(2);
  });
});

describe.runIf(await hasLocalEtcd())('certificates that change', () => {
  let directory: string;
  let server: Certificate;
  let client: Certificate;
  let cluster: LocalEtcd;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'leadership-etcd-test-'));
    server = await makeCertificate(directory, 'server');
    client = await makeCertificate(directory, 'client');
    cluster = await localEtcd({ tls: { ...server, clientCa: client.cert } });
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });
  const endpoints = (): readonly string[] =>
    cluster.endpoints.map((endpoint) => endpoint.replace('127.0.0.1', 'localhost'));

  it('are read for each new connection', async () => {
    let read = 0;
    let current: { readonly cert?: string; readonly key?: string } = {};
    const tls = async () => {
      read += 1;
      return { ca: server.pem, ...current };
    };
    await using rows = openRows({ endpoints: endpoints(), tls });
    await expect(prepared(rows)).rejects.toThrow('refuses the certificate of this client');
    current = { cert: client.pem, key: client.keyPem };
    // The gateway reaches its own server with the certificate of the server, which it does not trust.
    await expect(prepared(rows)).resolves.toBeUndefined();
    const before = read;
    await prepared(rows);
    expect(read).toBe(before);
    await cluster.servers[0]?.stop();
    await cluster.servers[0]?.start();
    await prepared(rows);
    expect(read).toBeGreaterThan(before);
  });

  it('are named if they cannot be read', async () => {
    const tls = (): never => {
      throw new Error('no such file');
    };
    await using rows = openRows({ endpoints: endpoints(), tls });
    await expect(prepared(rows)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('the function tls failed: no such file'),
    });
  });
});
