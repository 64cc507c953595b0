// One server of NATS, with buckets, users and settings that do not suffice.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { hasNats, type LocalNats, localNats } from '@leadership/tools/nats';
import { changed, listed, prepared } from '@leadership/tools/rows';
import { nkeys } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { natsLeadership } from '../src/index.ts';
import type { NatsOptions } from '../src/options.ts';
import { newBucket } from '../src/settings.ts';
import { type Administrator, administrator, bucketName } from './support/administrator.ts';
import { type NatsRows, openRows } from './support/open-rows.ts';

const admin = { user: 'admin', password: 'secret' };
const member = { user: 'member', password: 'secret' };
const group = 'billing';
const stream = `KV_${bucketName}`;

/** The rights of a member, and of an observer, as the page about NATS lists them. */
const rights = {
  member: [
    `$KV.${bucketName}.>`,
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.STREAM.PURGE.${stream}`,
  ],
  observer: [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.>`,
  ],
};

const seed = nkeys.createUser();
const nkeySeed = new TextDecoder().decode(seed.getSeed());

function userLine(user: string, publish: readonly string[], inbox = '_INBOX.>'): string {
  const permissions = { publish: [...publish], subscribe: [inbox] };
  return JSON.stringify({ user, password: 'secret', permissions });
}

const lines = [
  'accounts { A: { jetstream: enabled, users: [',
  JSON.stringify(admin),
  userLine('member', rights.member),
  userLine('observer', rights.observer),
  userLine('reader', rights.member.slice(1)),
  userLine('blind', [rights.member[0] ?? '']),
  userLine('own', rights.member, '_INBOX_own.>'),
  JSON.stringify({ nkey: seed.getPublicKey() }),
  '] }, B: { users: [{user: none, password: secret}] } }',
];

describe.runIf(await hasNats())('a member of NATS', () => {
  let nats: LocalNats;
  let person: Administrator;
  beforeAll(async () => {
    nats = await localNats({ lines });
    person = await administrator({
      servers: [...nats.addresses],
      user: admin.user,
      pass: admin.password,
    });
    await using first = open(admin);
    await prepared(first);
  });
  afterAll(async () => {
    await person[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });

  const open = (options: Partial<NatsOptions>): NatsRows =>
    openRows({ servers: nats.addresses, ...options });

  describe('and its bucket', () => {
    const create = async (settings: Readonly<Record<string, unknown>>): Promise<string> => {
      const bucket = `b-${randomUUID()}`;
      const usual = newBucket(bucket, 1);
      const { sealed = false, ...others } = settings;
      const config = { ...usual, ...others };
      await person.call(`STREAM.CREATE.KV_${bucket}`, config);
      if (sealed) await person.call(`STREAM.UPDATE.KV_${bucket}`, { ...config, sealed });
      return bucket;
    };

    it.each<[string, Readonly<Record<string, unknown>>]>([
      ['is kept in memory.*storage=file', { storage: 'memory' }],
      ['has a TTL.*--max-age=0', { max_age: 60e9 }],
      ['drops old leases when it is full.*--discard=new', { discard: 'old', max_bytes: 1e6 }],
      ['removes leases that were read', { retention: 'interest' }],
      ['keeps every renewal.*--max-msgs-per-subject=1', { max_msgs_per_subject: -1 }],
      ['acknowledges changes before they are stored', { persist_mode: 'async' }],
      ['does not acknowledge changes', { no_ack: true }],
      ['is sealed', { sealed: true }],
      ['takes values of 1000 bytes.*--max-msg-size=-1', { max_msg_size: 1000 }],
      ['receives the changes of another bucket', { sources: [{ name: stream }] }],
      ['has other subjects', { subjects: ['elsewhere.>'] }],
    ])('refuses one that %s', async (message, settings) => {
      const bucket = await create(settings);
      await using rows = open({ ...admin, bucket });
      await expect(prepared(rows)).rejects.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringMatching(new RegExp(`bucket "${bucket}" of NATS.*${message}`)),
      });
    });

    it('refuses one with fewer copies than the option says', async () => {
      const bucket = await create({});
      await using rows = open({ ...admin, bucket, replicas: 3 });
      await expect(prepared(rows)).rejects.toThrow(/has 1 copies of 3.*--replicas=3/);
    });

    it.each<[string, Readonly<Record<string, unknown>>]>([
      ['with a history', { max_msgs_per_subject: 64 }],
      ['with limits that refuse changes', { max_bytes: 10e6, max_msgs: 10_000 }],
      ['without direct reads', { allow_direct: false }],
      ['that is compressed and republished', { compression: 's2', republish: { dest: 'r.>' } }],
    ])('uses one %s', async (_, settings) => {
      const bucket = await create(settings);
      await using rows = open({ ...admin, bucket });
      await prepared(rows);
      expect(await changed(rows, 'a', null, 'one')).toEqual({ isDone: true });
      expect(await changed(rows, 'a', 'one', 'two')).toEqual({ isDone: true });
      expect(await listed(rows)).toEqual(new Map([['a', 'two']]));
    });

    it('refuses a missing one if it may not create it', async () => {
      await using rows = open({ ...admin, bucket: 'missing', create: false });
      await expect(prepared(rows)).rejects.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringMatching(/bucket "missing".*does not exist: create it/),
      });
    });

    it('lets an observer wait for a missing one, without a warning', async () => {
      const place = { ...admin, servers: nats.addresses, group, bucket: `b-${randomUUID()}` };
      await using observer = natsLeadership({ ...place, campaign: false, log: false });
      await observer.ready();
      const troubles = [{ code: 'unknown-group' }];
      expect(observer.health()).toMatchObject({ troubles, warnings: [] });
      await using member = natsLeadership({ ...place, member: 'a', log: false });
      await eventually('the observer knows', () => observer.role(0).leader()?.member === 'a');
      expect(observer.health()).toMatchObject({ troubles: [], warnings: [] });
      await eventually('it leads', () => member.role(0).isLeading());
    });

    it('says which limit is reached', async () => {
      const bucket = await create({ max_bytes: 2000 });
      await using rows = open({ ...admin, bucket });
      await prepared(rows);
      await expect(changed(rows, 'a', null, 'x'.repeat(3000))).rejects.toThrow(/bucket is full/);
    });

    it('removes the marks of keys that were removed long ago, and no other keys', async () => {
      const bucket = await create({});
      const place = { ...admin, bucket, group };
      await using writer = open(place);
      for (const name of ['a', 'b']) await changed(writer, name, null, 'one');
      await changed(writer, 'a', 'one', null);
      const subjects = async (): Promise<readonly string[]> => {
        const { state } = await person.call(`STREAM.INFO.KV_${bucket}`, { subjects_filter: '>' });
        const { subjects: all } = state as { readonly subjects: object };
        return Object.keys(all).filter((subject) => !subject.includes('.read.'));
      };
      const [a, b] = [`$KV.${bucket}.billing.a`, `$KV.${bucket}.billing.b`];
      expect(new Set(await subjects())).toEqual(new Set([a, b]));
      await using later = openRows({ servers: nats.addresses, ...place, marksMs: 0 });
      await eventually('the mark is removed', async () => {
        expect(await listed(later)).toEqual(new Map([['b', 'one']]));
        return !(await subjects()).includes(a);
      });
      expect(await subjects()).toEqual([b]);
      // The writer still knows the mark. It reads again once its change was refused.
      await eventually('it creates the key again', async () =>
        changed(writer, 'a', null, 'two').then(({ isDone }) => isDone),
      );
      expect(await listed(later)).toEqual(new Map(Object.entries({ a: 'two', b: 'one' })));
    });

    it('elects again after the bucket was removed, once it was created again', async () => {
      const bucket = await create({});
      await using source = natsLeadership({
        ...{ ...admin, servers: nats.addresses, group, bucket, member: 'a', thresholdMs: 1000 },
        log: false,
      });
      await eventually('it leads', () => source.role(0).isLeading());
      const token = source.role(0).term()?.token ?? 0n;
      await person.call(`STREAM.DELETE.KV_${bucket}`);
      await eventually('its term ends', () => !source.role(0).isLeading());
      await eventually('it leads again', () => source.role(0).isLeading());
      expect(source.role(0).term()?.token).toBeGreaterThan(token);
    });
  });

  describe('and its rights', () => {
    it('leads with those that are documented', async () => {
      await using source = natsLeadership({
        ...{ ...member, servers: nats.addresses, group: 'rights', member: 'a', log: false },
      });
      await eventually('it leads', () => source.role(0).isLeading());
      expect(source.health()).toMatchObject({ troubles: [], warnings: [] });
      await using observer = natsLeadership({
        ...{ user: 'observer', password: 'secret', servers: nats.addresses, group: 'rights' },
        ...{ campaign: false, log: false },
      });
      await eventually('the observer knows', () => observer.role(0).leader()?.member === 'a');
      expect(observer.health()).toMatchObject({ troubles: [], warnings: [] });
    });

    it.each([
      ['reader', /the user lacks a right.*Publish to "\$KV/],
      ['blind', /the user lacks a right.*STREAM\.INFO/],
      ['own', /the user lacks a right.*Subscription/],
    ])('names what %s lacks', async (user, message) => {
      await using rows = open({ user, password: 'secret' });
      const use = async (): Promise<unknown> => {
        await prepared(rows);
        return listed(rows);
      };
      await expect(use()).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringMatching(message),
      });
    });

    it('uses another prefix for replies', async () => {
      await using rows = open({ user: 'own', password: 'secret', inboxPrefix: '_INBOX_own' });
      expect(await changed(rows, 'a', null, 'one')).toEqual({ isDone: true });
    });

    it.each<[string, Partial<NatsOptions>, string, RegExp]>([
      [
        'a wrong password',
        { ...admin, password: 'x' },
        'unauthorized',
        /correct user and password/,
      ],
      ['no user', {}, 'unauthorized', /correct user and password/],
      ['no credentials', { credentials: 'none' }, 'unauthorized', /correct the credentials/],
      [
        'a missing file',
        { credentialsFile: '/nowhere/app.creds' },
        'misconfigured-backend',
        /credentialsFile cannot be read.*ENOENT/,
      ],
      [
        'an account without JetStream',
        { user: 'none', password: 'secret' },
        'misconfigured-backend',
        /has no JetStream/,
      ],
      [
        'TLS that is not offered',
        { ...admin, tls: true },
        'misconfigured-backend',
        /leave out tls/,
      ],
      ['no server', { ...admin, servers: ['127.0.0.1:1'] }, 'unreachable', /connection refused/],
    ])('is refused with %s', async (_, options, code, message) => {
      await using rows = open(options);
      await expect(prepared(rows)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
    });

    it('authenticates with a password of a function, and with a seed of a file', async () => {
      await using byFunction = open({ ...member, password: () => Promise.resolve('secret') });
      expect(await changed(byFunction, 'a', null, 'one')).toEqual({ isDone: true });
      const credentialsFile = join(nats.servers[0]?.directory ?? '', 'app.nk');
      await writeFile(credentialsFile, `${nkeySeed}\n`);
      await using byFile = open({ credentialsFile });
      expect(await changed(byFile, 'a', null, 'one')).toEqual({ isDone: true });
      await using byText = open({ credentials: () => nkeySeed });
      expect(await changed(byText, 'a', null, 'one')).toEqual({ isDone: true });
    });
  });
});
