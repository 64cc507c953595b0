import { openLeadership } from '@leadership/core';
import { ReplyError } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { natsError } from '../src/errors.ts';
import { backend, type NatsOptions, natsLeadership } from '../src/index.ts';
import { checkServer } from '../src/settings.ts';

const servers = ['127.0.0.1:1'];

describe('the options of natsLeadership', () => {
  it.each<[string, Partial<NatsOptions> & Readonly<Record<string, unknown>>]>([
    ['servers must be a list', { servers: [] }],
    ['servers must be a list', { servers: 'a' as never }],
    ['server 2 must be HOST or HOST:PORT', { servers: ['a', 'nats://u:secret@b'] }],
    ['server 1 must be HOST or HOST:PORT', { servers: ['::1'] }],
    ['bucket "a.b" must be 1 to 200', { bucket: 'a.b' }],
    ['bucket "" must be 1 to 200', { bucket: '' }],
    ['replicas 2 must be 1, 3 or 5', { replicas: 2 as never }],
    ['inboxPrefix "a.*" must be a subject', { inboxPrefix: 'a.*' }],
    ['must have at most 400 bytes', { group: 'é'.repeat(201) }],
    ['user and password belong together', { user: 'u' }],
    ['user and token are set', { user: 'u', password: 'p', token: 't' }],
    ['credentials and credentialsFile are set', { credentials: 'c', credentialsFile: 'f' }],
    ['token must be a text', { token: 7 as never }],
    ['credentials must be a text', { credentials: '' }],
    ['tls has no option cat; did you mean ca?', { tls: { cat: '' } as never }],
    ['tls is refused by Node', { tls: { cert: 'secret', key: 'secret' } }],
    ['notifications no must be of type boolean', { notifications: 'no' as never }],
    ['create 1 must be of type boolean', { create: 1 as never }],
    ['partitions 257 is more than the 256', { partitions: 257 }],
    ['unknown option buckt; did you mean bucket?', { buckt: 'x' }],
  ])('%s', (message, options) => {
    expect(() => natsLeadership({ group: 'g', servers, ...options })).toThrow(message);
  });

  it('never shows a secret', () => {
    const options = { group: 'g', servers: ['nats://u:secret@b'] };
    expect(() => natsLeadership(options)).not.toThrow('secret');
  });
});

describe('the URL', () => {
  const load = (): Promise<unknown> => Promise.resolve({ backend });
  const opened = (url: string): Promise<unknown> =>
    openLeadership(url, { load, log: false }).then((source) => source.close());

  it.each([
    'nats://127.0.0.1:1?group=g',
    'nats://127.0.0.1:1,127.0.0.1:2/?group=g&bucket=b&replicas=1&create=false',
    'nats://[::1]:1/?group=g&credentialsFile=none.creds&inboxPrefix=_INBOX_app',
  ])('%s opens a source', async (url) => {
    await expect(opened(url)).resolves.toBeUndefined();
  });

  it.each([
    ['nats://127.0.0.1:1/g', 'a URL of nats has no path, but "/g": name the group'],
    ['nats:?group=g', 'servers must be a list'],
    ['nats://127.0.0.1:1?group=g&replicas=4', 'replicas 4 must be'],
    ['nats://127.0.0.1:1?group=g&token=secret', 'has no parameter token'],
  ])('%s is refused', async (url, message) => {
    await expect(opened(url)).rejects.toThrow(message);
  });
});

describe('the version of the server', () => {
  const max_payload = 1_048_576;
  it.each(['2.10.23', '2.11.0', '2.15.2', '2.12.0-RC.1', '3.0.0'])('%s is accepted', (version) => {
    expect(() => checkServer({ version, max_payload })).not.toThrow();
  });

  it.each(['2.9.10', '2.10.22', '1.99.99', ''])('%s is too old', (version) => {
    expect(() => checkServer({ version, max_payload })).toThrow(/2\.10\.23 is the oldest/);
  });

  it('must take messages with the longest record', () => {
    const server = { version: '2.15.2', max_payload: 65_536 };
    expect(() => checkServer(server)).toThrow(/raise max_payload/);
  });
});

describe('an error of the server', () => {
  it.each([
    [new ReplyError(10_059, 'stream not found'), 'unknown-group', /not on all its servers yet/],
    [new ReplyError(10_039, 'not enabled'), 'misconfigured-backend', /has no JetStream/],
    [new ReplyError(10_008, 'temporarily unavailable'), 'unreachable', /temporarily/],
    [new ReplyError(10_047, 'insufficient storage'), 'unreachable', /no room/],
    [new ReplyError(10_077, 'maximum bytes exceeded'), 'unreachable', /the bucket is full/],
    [new Error("no responders: '$KV.b.g.read.1'"), 'unreachable', /no server leads the bucket/],
    [new Error("no responders: '$JS.API.STREAM.INFO.KV_b'"), 'unreachable', /is it enabled/],
    [
      new Error('Permissions Violation for Publish to "$KV.b.g.a"'),
      'unauthorized',
      /the user lacks a right.*\$KV\.b\.g\.a/,
    ],
    [new Error('Authorization Violation'), 'unauthorized', /correct user and password/],
    [new Error('User Authentication Expired'), 'unauthorized', /have expired/],
    [new Error("server does not support 'tls'"), 'misconfigured-backend', /leave out tls/],
    [new Error('connection refused'), 'unreachable', /refused/],
  ])('%s becomes %s', (error, code, message) => {
    expect(natsError(error, 'bucket')).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});
