import { inspect } from 'node:util';
import { openLeadership } from '@leadership/core';
import { ReplyError } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { etcdError, mayAskAnother } from '../src/errors.ts';
import { backend, type EtcdOptions, etcdLeadership } from '../src/index.ts';
import { originsOf } from '../src/options.ts';
import { bytesOf, textOf } from '../src/text.ts';

const endpoints = ['127.0.0.1:1'];

describe('the options of etcdLeadership', () => {
  it.each<[string, Partial<EtcdOptions> & Readonly<Record<string, unknown>>]>([
    ['endpoints must be a list of servers', { endpoints: [] }],
    ['endpoints must be a list of servers', { endpoints: '127.0.0.1:2379' as never }],
    ['endpoint 1 must be HOST or HOST:PORT', { endpoints: ['http://a:2379'] }],
    ['endpoint 2 must be HOST or HOST:PORT', { endpoints: ['a', 'a:b'] }],
    ['user and password belong together', { user: 'u' }],
    ['user and password belong together', { password: 'p' }],
    ['token and user are set', { token: 't', user: 'u', password: 'p' }],
    ['prefix "" must be a name', { prefix: '' }],
    ['group "\\ud800" must be a name', { group: '\ud800' }],
    ['password must be a text', { user: 'u', password: 7 as never }],
    ['tls must be true, false, an object with', { tls: 'yes' as never }],
    ['tls is refused by Node', { tls: { cert: 'secret', key: 'secret' } }],
    ['make tls a function', { tls: { ca: () => 'pem' } as never }],
    ['notifications no must be of type boolean', { notifications: 'no' as never }],
    ['partitions 10001 is more than the 10000', { partitions: 10_001 }],
    ['unknown option prefx; did you mean prefix?', { prefx: 'x' }],
  ])('%s', (message, options) => {
    expect(() => etcdLeadership({ group: 'g', endpoints, ...options })).toThrow(message);
  });

  it('does not show an endpoint, which may contain a password', () => {
    const open = (): unknown => etcdLeadership({ group: 'g', endpoints: ['http://u:secret@a'] });
    expect(open).toThrow('endpoint 1 must be');
    expect(open).not.toThrow('secret');
  });

  it.each([
    [['a'], undefined, ['http://a:2379']],
    [['a:1', 'b:2'], false, ['http://a:1', 'http://b:2']],
    [['[::1]', '[::1]:1'], {}, ['https://[::1]:2379', 'https://[::1]:1']],
  ])('%j with tls %j is %j', (hosts, tls, origins) => {
    expect(originsOf({ endpoints: hosts, ...(tls !== undefined && { tls }) })).toEqual(origins);
  });
});

describe('the URL', () => {
  const load = (): Promise<unknown> => Promise.resolve({ backend });

  it('opens a source', async () => {
    const url = 'etcd://127.0.0.1:1,127.0.0.1:2/?group=g&prefix=app/leases/&tls=true';
    await using source = await openLeadership(url, { load, tls: true });
    expect(source.guarantees.exclusive).toBe(true);
  });

  it('rejects a password, a path and a missing host', async () => {
    await expect(openLeadership('etcd://u:p@h/?group=g', { load })).rejects.toThrow(
      'secrets never go in the URL',
    );
    await expect(openLeadership('etcd://h/g', { load })).rejects.toThrow(
      'a URL of etcd has no path, but "/g"',
    );
    await expect(openLeadership('etcd:?group=g', { load })).rejects.toThrow(
      'endpoints must be a list',
    );
  });
});

describe('a member is refused', () => {
  it.each<[string, string, Partial<EtcdOptions>]>([
    ['unauthorized', 'has it a line break?', { token: 'secret\n' }],
    ['misconfigured-backend', 'they must be PEM', { tls: () => ({ cert: 'secret', key: 'x' }) }],
  ])('as %s: %s', async (code, advice, options) => {
    const source = etcdLeadership({ group: 'g', endpoints, log: false, ...options });
    const error = await source.ready().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringContaining(advice) });
    expect(inspect([error, source.health()], { depth: 9 })).not.toContain('secret');
    await source.close();
  });
});

describe('an error of etcd', () => {
  it.each([
    ['3', 'etcdserver: authentication failed, invalid user ID or password', 'unauthorized'],
    ['3', 'etcdserver: user name is empty', 'unauthorized'],
    ['7', 'etcdserver: permission denied', 'unauthorized'],
    ['16', 'etcdserver: invalid auth token', 'unauthorized'],
    ['8', 'etcdserver: mvcc: database space exceeded', 'unreachable'],
    ['14', 'etcdserver: no leader', 'unreachable'],
    ['14', 'etcdserver: rpc not supported for learner', 'unreachable'],
    ['http-404', '404 page not found', 'misconfigured-backend'],
    ['http-400', 'Client sent an HTTP request to an HTTPS server.', 'misconfigured-backend'],
  ])('%s %s is %s, with the remedy', (code, said, kind) => {
    const error = etcdError(new ReplyError(code, said), 'etcd');
    expect(error.code).toBe(kind);
    expect(error.message).toMatch(/: .*: .*\(.*\)$/);
    expect(error.message).toContain(said);
  });

  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'set tls.ca'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'set tls.ca'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'set tls.cert and tls.key'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'leave out tls'],
  ])('%s advises: %s', (code, advice) => {
    const error = etcdError(Object.assign(new Error('failed'), { code }), 'etcd');
    expect(error).toMatchObject({ code: 'misconfigured-backend' });
    expect(error.message).toContain(advice);
  });

  it('leads to another server if the connection or the server fails, and not otherwise', () => {
    const errors = [
      new Error('ECONNREFUSED'),
      new ReplyError('14', 'etcdserver: no leader'),
      new ReplyError('http-502', 'bad gateway'),
      new ReplyError('7', 'etcdserver: permission denied'),
      new ReplyError('8', 'etcdserver: too many requests'),
    ];
    expect(errors.map(mayAskAnother)).toEqual([true, true, true, false, false]);
  });
});

describe('the text of bytes', () => {
  it.each(['', 'a', 'é 🙂', '\ufeffa', '\0'])('%j leads back to itself', (text) => {
    expect(textOf(bytesOf(text))).toBe(text);
  });

  it('leads back to the same bytes if they are not UTF-8', () => {
    for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0x61, 0xc3]]) {
      const base64 = Buffer.from(bytes).toString('base64');
      expect(bytesOf(textOf(base64))).toBe(base64);
    }
  });
});
