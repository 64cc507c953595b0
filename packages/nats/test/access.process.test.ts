// The ways to a server of NATS: TLS, users with a token of an operator, rights, and an address of IPv6.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLeadership } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { type Certificate, makeCertificate } from '@leadership/tools/certificates';
import { hasNats, type LocalNats, localNats } from '@leadership/tools/nats';
import { changed, listed, prepared } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backend, natsLeadership } from '../src/index.ts';
import type { NatsOptions } from '../src/options.ts';
import { bucketName } from './support/administrator.ts';
import { openRows } from './support/open-rows.ts';
import { newOperator } from './support/operator.ts';

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Opens rows, reads them and writes one, or only reads as an observer does. Returns the error of that. */
async function failure(
  options: Partial<NatsOptions> & Pick<NatsOptions, 'servers'>,
  isObserver = false,
): Promise<Failure> {
  await using open = openRows(options);
  try {
    await prepared(open, !isObserver);
    if (isObserver) {
      const request = { changes: [], since: undefined, mayLag: true };
      await open.rows.exchange(request, AbortSignal.timeout(10_000));
    } else await changed(open, 'a', null, 'one', true);
    return { code: 'none', message: 'it was used' };
  } catch (error) {
    return error as Failure;
  }
}

const saying = (code: string, message: RegExp): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
const used = expect.objectContaining({ code: 'none' });

describe.runIf(await hasNats())('a member on the way to NATS', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'leadership-nats-test-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  describe('with TLS', () => {
    let server: Certificate;
    let client: Certificate;
    let nats: LocalNats;
    beforeAll(async () => {
      server = await makeCertificate(directory, 'server');
      client = await makeCertificate(directory, 'client');
      const files = { cert_file: server.cert, key_file: server.key, ca_file: client.cert };
      nats = await localNats({ lines: [`tls: ${JSON.stringify({ ...files, verify: true })}`] });
    });
    afterAll(() => nats[Symbol.asyncDispose]());

    const servers = (): readonly string[] =>
      nats.addresses.map((address) => address.replace('127.0.0.1', 'localhost'));
    const own = (): object => ({ cert: client.pem, key: client.keyPem });

    it('trusts an issuer of its own, and names tls.ca with another one and with none', async () => {
      expect(await failure({ servers: servers(), tls: { ca: server.pem, ...own() } })).toEqual(
        used,
      );
      for (const tls of [{ ca: client.pem, ...own() }, own()])
        expect(await failure({ servers: servers(), tls })).toEqual(
          saying('misconfigured-backend', /certificate of the server is not trusted: set tls\.ca/),
        );
    });

    it('checks that the certificate names the host, an address, or servername', async () => {
      const tls = { ca: server.pem, ...own() };
      expect(await failure({ servers: nats.addresses, tls })).toEqual(
        saying('misconfigured-backend', /set tls\.ca.*IP: 127\.0\.0\.1 is not in the cert's list/),
      );
      const named = { ...tls, servername: 'localhost' };
      expect(await failure({ servers: nats.addresses, tls: named })).toEqual(used);
      const ofAddress = await makeCertificate(directory, 'ip', '/O=leadership', 'IP:127.0.0.1');
      const files = { cert_file: ofAddress.cert, key_file: ofAddress.key };
      await using other = await localNats({ lines: [`tls: ${JSON.stringify(files)}`] });
      const ca = ofAddress.pem;
      expect(await failure({ servers: other.addresses, tls: { ca } })).toEqual(used);
      const byName = other.addresses.map((address) => address.replace('127.0.0.1', 'localhost'));
      expect(await failure({ servers: byName, tls: { ca } })).toEqual(
        saying('misconfigured-backend', /set tls\.ca/),
      );
    });

    it('names the certificate of the client if the server asks for one', async () => {
      // The server resets the connection after its alert: on a busy machine that discards an alert
      // which was not read yet, so the next attempt of a member names it.
      const refused = await eventually('an alert is read', async () => {
        const error = await failure({ servers: servers(), tls: { ca: server.pem } });
        return error.code === 'unreachable' ? undefined : error;
      });
      expect(refused).toEqual(saying('misconfigured-backend', /set tls\.cert and tls\.key/));
    });

    it('reads certificates of a function for each new connection', async () => {
      let current: object = {};
      const tls = (): object => ({ ca: server.pem, ...current });
      await using rows = openRows({ servers: servers(), tls });
      await expect(prepared(rows)).rejects.toThrow();
      current = own();
      await expect(prepared(rows)).resolves.toBeUndefined();
    });
  });

  describe('with the credentials of an operator', () => {
    const operator = newOperator();
    let nats: LocalNats;
    beforeAll(async () => {
      nats = await localNats({ lines: operator.lines });
    });
    afterAll(() => nats[Symbol.asyncDispose]());

    it('leads with a file, also once it was replaced', async () => {
      const credentialsFile = join(directory, 'app.creds');
      await writeFile(credentialsFile, operator.credentials());
      await using source = natsLeadership({
        servers: nats.addresses,
        credentialsFile,
        group: randomUUID(),
        member: 'a',
        thresholdMs: 1000,
        log: false,
      });
      await eventually('it leads', () => source.role(0).isLeading());
      await writeFile(credentialsFile, operator.credentials());
      await nats.servers[0]?.stop();
      await nats.servers[0]?.start();
      await eventually('it leads again', () => source.role(0).isLeading() && source.health().ok);
    });

    it('says that the server refuses credentials of another operator, and expired ones', async () => {
      const { addresses: servers } = nats;
      const expired = operator.credentials({ expiresAt: Math.floor(Date.now() / 1000) - 60 });
      for (const credentials of [newOperator().credentials(), expired])
        expect(await failure({ servers, credentials })).toEqual(
          saying('unauthorized', /the server refuses the user: correct .* credentials/),
        );
    });

    it('goes on with new credentials of a function once the server ends a connection with expired ones', async () => {
      let given = 0;
      const credentials = (): string => {
        given += 1;
        return operator.credentials({ expiresAt: Math.floor(Date.now() / 1000) + 3 });
      };
      await using source = natsLeadership({
        servers: nats.addresses,
        credentials,
        group: randomUUID(),
        member: 'a',
        thresholdMs: 3000,
        log: false,
      });
      await eventually('it leads', () => source.role(0).isLeading());
      const token = source.role(0).term()?.token;
      const before = given;
      await eventually('it connects again twice', () => given >= before + 2);
      await eventually('health() is good', () => source.health().ok);
      expect(source.role(0).term()?.token).toBe(token);
    });
  });

  describe('with the rights that the page lists', () => {
    const stream = `KV_${bucketName}`;
    const own = {
      rows: `$KV.${bucketName}.>`,
      info: `$JS.API.STREAM.INFO.${stream}`,
      consumer: `$JS.API.CONSUMER.CREATE.${stream}.>`,
      consumerInfo: `$JS.API.CONSUMER.INFO.${stream}.>`,
      create: `$JS.API.STREAM.CREATE.${stream}`,
      purge: `$JS.API.STREAM.PURGE.${stream}`,
    };
    const operator = newOperator();
    let nats: LocalNats;
    beforeAll(async () => {
      nats = await localNats({ lines: operator.lines });
      await using first = openRows(by(Object.values(own)));
      await prepared(first);
    });
    afterAll(() => nats[Symbol.asyncDispose]());

    const by = (
      publish: readonly string[],
      subscribe: readonly string[] = ['_INBOX.>'],
      { addresses: servers } = nats,
    ) => ({
      servers,
      credentials: operator.credentials({ publish, subscribe }),
    });
    const without = (right: keyof typeof own): readonly string[] =>
      Object.values(own).filter((subject) => subject !== own[right]);

    it('creates the bucket with the one to create it, and names it otherwise', async () => {
      await using other = await localNats({ lines: operator.lines });
      const open = (publish: readonly string[]) => failure(by(publish, ['_INBOX.>'], other));
      expect(await open(without('create'))).toEqual(
        saying('unauthorized', /the user lacks a right.*STREAM\.CREATE\.KV_leadership/),
      );
      expect(await open(Object.values(own))).toEqual(used);
    });

    it.each<[keyof typeof own, RegExp]>([
      ['rows', /the user lacks a right.*Publish to "\$KV\.leadership\./],
      ['info', /the user lacks a right.*STREAM\.INFO\.KV_leadership/],
      ['consumer', /the user lacks a right.*CONSUMER\.CREATE\.KV_leadership/],
    ])('names the one for %s if a member lacks it', async (right, message) => {
      expect(await failure(by(without(right)))).toEqual(saying('unauthorized', message));
    });

    it.each<[keyof typeof own, RegExp]>([
      ['info', /the user lacks a right.*STREAM\.INFO\.KV_leadership/],
      ['consumer', /the user lacks a right.*CONSUMER\.CREATE\.KV_leadership/],
      ['consumerInfo', /the user lacks a right.*CONSUMER\.INFO\.KV_leadership/],
    ])('names the one for %s if an observer lacks it', async (right, message) => {
      expect(await failure(by(without(right)), true)).toEqual(saying('unauthorized', message));
    });

    it('names the one to receive replies', async () => {
      expect(await failure(by(Object.values(own), ['other.>']))).toEqual(
        saying('unauthorized', /the user lacks a right.*Subscription to "_INBOX\./),
      );
    });

    it.each(['create', 'purge', 'consumerInfo'] as const)(
      'needs none for %s on a bucket that is there',
      async (right) => {
        expect(await failure(by(without(right)))).toEqual(used);
      },
    );

    it('is an observer without a right to write', async () => {
      expect(await failure(by([own.info, own.consumer, own.consumerInfo]), true)).toEqual(used);
    });
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );
  it.runIf(hasIpv6)('leads at an address of IPv6 of a URL', async () => {
    await using nats = await localNats({ host: '::1' });
    const url = `nats://${nats.addresses.join()}/?group=${randomUUID()}`;
    expect(url).toContain('nats://[::1]:');
    const load = (): Promise<unknown> => Promise.resolve({ backend });
    await using source = await openLeadership(url, { load, log: false });
    await eventually('it leads', () => source.role(0).isLeading());
  });

  it('creates no bucket as an observer, and sees the one that a member creates', async () => {
    await using nats = await localNats();
    const servers = nats.addresses;
    const group = randomUUID();
    await using observer = openRows({ servers, group });
    await prepared(observer, false);
    expect(await listed(observer)).toEqual(new Map());
    await using strict = openRows({ servers, group, create: false });
    await expect(prepared(strict)).rejects.toThrow('the bucket does not exist: create it');
    await using member = openRows({ servers, group });
    await prepared(member);
    await changed(member, 'a', null, 'one');
    expect(await listed(observer)).toEqual(new Map([['a', 'one']]));
  });
});
