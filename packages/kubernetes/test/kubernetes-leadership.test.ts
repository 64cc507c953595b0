import { openLeadership } from '@leadership/core';
import { ReplyError } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { kubernetesError } from '../src/errors.ts';
import { backend, type KubernetesOptions, kubernetesLeadership } from '../src/index.ts';

const server = 'https://127.0.0.1:1';

describe('the options of kubernetesLeadership', () => {
  it.each<[string, Partial<KubernetesOptions> & Readonly<Record<string, unknown>>]>([
    ['namespace must be 1 to 63 lower-case', { namespace: 'A' }],
    ['namespace must be 1 to 63 lower-case', { namespace: 'a/b' }],
    ['namespace must be 1 to 63 lower-case', { namespace: '' }],
    ['server must be https://HOST', { server: 'http://a' }],
    ['server must be https://HOST', { server: 'http://127.0.0.1.example:8001' }],
    ['server must be https://HOST', { server: 'https://u@a' }],
    ['server must be https://HOST', { server: 'a:6443' }],
    ['tls and token belong to server', { server: undefined as never, token: 't' }],
    ['token must be a text', { token: 7 as never }],
    ['tls must be an object', { tls: true as never }],
    ['tls has no option cat; did you mean ca?', { tls: { cat: '' } as never }],
    ['tls is refused by Node', { tls: { cert: 'secret', key: 'secret' } }],
    ['notifications no must be of type boolean', { notifications: 'no' as never }],
    ['partitions 257 is more than the 256', { partitions: 257 }],
    ['unknown option namespce; did you mean namespace?', { namespce: 'x' }],
  ])('%s', (message, options) => {
    expect(() => kubernetesLeadership({ group: 'g', server, ...options })).toThrow(message);
  });

  it('has a T of 15 s unless another one is given', async () => {
    await using source = kubernetesLeadership({ group: 'g', server, log: false });
    await using other = kubernetesLeadership({ group: 'g', server, thresholdMs: 3000, log: false });
    const { failoverMsMax } = source.guarantees;
    expect([failoverMsMax, other.guarantees.failoverMsMax]).toEqual([19_740, 3948]);
  });
});

describe('the URL', () => {
  const load = (): Promise<unknown> => Promise.resolve({ backend });
  const opened = (url: string): Promise<unknown> =>
    openLeadership(url, { load, server, log: false }).then((source) => source.close());

  it.each(['kubernetes:shop?group=g', 'kubernetes:?group=g', 'k8s:shop?group=g'])(
    '%s opens a source',
    async (url) => {
      await expect(opened(url)).resolves.toBeUndefined();
    },
  );

  it.each([
    ['kubernetes://10.0.0.1/shop?group=g', 'names a namespace, but this one a host'],
    ['kubernetes:a/b?group=g', 'namespace must be'],
    ['kubernetes:shop?group=g&token=secret', 'has no parameter token'],
  ])('%s is refused', async (url, message) => {
    await expect(opened(url)).rejects.toThrow(message);
  });
});

describe('an error of the server', () => {
  const forbidden =
    'leases.coordination.k8s.io is forbidden: User "u" cannot update resource "leases"';
  it.each([
    [new ReplyError('http-403', forbidden), 'unauthorized', /cannot update resource "leases"/],
    [
      new ReplyError(
        'http-403',
        'leases "a" is forbidden: unable to create new content in namespace n because it is being terminated',
      ),
      'unreachable',
      /the namespace is being deleted/,
    ],
    [
      new ReplyError('http-403', 'leases "a" is forbidden: not yet ready to handle request'),
      'unreachable',
      /the server has just started/,
    ],
    [new ReplyError('http-404', 'namespaces "n" not found'), 'misconfigured-backend', /create it/],
    [new ReplyError('http-404', 'page not found'), 'misconfigured-backend', /correct the server/],
    [new ReplyError('http-401', 'Unauthorized'), 'unauthorized', /set a current one/],
    [
      new ReplyError('http-403', 'leases "a" is forbidden: exceeded quota: q'),
      'misconfigured-backend',
      /raise that of leases/,
    ],
    [
      new ReplyError('http-403', 'admission webhook "w" denied the request: no'),
      'misconfigured-backend',
      /admission policy/,
    ],
    [new ReplyError('http-503', 'not ready'), 'unreachable', /not ready/],
    [new ReplyError('http-500', 'etcdserver: request timed out'), 'unreachable', /timed out/],
  ])('%s becomes %s', (error, code, message) => {
    expect(kubernetesError(error, 'leases')).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});
