import { describe, expect, it } from 'vitest';
import { parseAddress, schemeOf } from '../../src/adapter/address.ts';
import { nearest } from '../../src/adapter/nearest.ts';

const own = { topic: 'string', flag: 'boolean', size: 'number' } as const;

describe('the grammar of leadership URLs', () => {
  it.each([
    ['memory:billing', { scheme: 'memory', hosts: [], path: 'billing', parameters: {} }],
    ['MEMORY:billing', { scheme: 'memory', hosts: [], path: 'billing', parameters: {} }],
    ['file:./x', { scheme: 'file', hosts: [], path: './x', parameters: {} }],
    [
      'file:/var/lib/x?group=g',
      { scheme: 'file', hosts: [], path: '/var/lib/x', parameters: { group: 'g' } },
    ],
    ['file:///var/lib/x', { scheme: 'file', hosts: [], path: '/var/lib/x', parameters: {} }],
    ['file:C:\\data', { scheme: 'file', hosts: [], path: 'C:\\data', parameters: {} }],
    ['file:a%20b', { scheme: 'file', hosts: [], path: 'a b', parameters: {} }],
    [
      'kafka://a:9092,b:9093/billing?topic=leases',
      {
        scheme: 'kafka',
        hosts: ['a:9092', 'b:9093'],
        path: '/billing',
        parameters: { topic: 'leases' },
      },
    ],
    ['kafka://a', { scheme: 'kafka', hosts: ['a'], path: '', parameters: {} }],
    [
      'kafka://[::1]:9092/g',
      { scheme: 'kafka', hosts: ['[::1]:9092'], path: '/g', parameters: {} },
    ],
    ['nerio://a,,b/g', { scheme: 'nerio', hosts: ['a', 'b'], path: '/g', parameters: {} }],
    [
      'x:g?size=1e3&flag=false&topic=a%26b',
      { scheme: 'x', hosts: [], path: 'g', parameters: { size: 1000, flag: false, topic: 'a&b' } },
    ],
    ['x:g?topic=a?b', { scheme: 'x', hosts: [], path: 'g', parameters: { topic: 'a?b' } }],
    ['x:g?', { scheme: 'x', hosts: [], path: 'g', parameters: {} }],
    ['x:g%40h', { scheme: 'x', hosts: [], path: 'g@h', parameters: {} }],
    ['memory:g@h', { scheme: 'memory', hosts: [], path: 'g@h', parameters: {} }],
    ['file:C:/a@b/c', { scheme: 'file', hosts: [], path: 'C:/a@b/c', parameters: {} }],
    ['file:///a:b@c', { scheme: 'file', hosts: [], path: '/a:b@c', parameters: {} }],
  ])('%s', (url, address) => {
    expect(parseAddress(url, own)).toEqual(address);
  });

  it.each([
    'redis:user:secret@h',
    'redis:secret@h?group=g',
    'redis:user:secret%40h/0',
    'postgres:/user:secret@h/db',
    'kubernetes:///user:secret@h',
    'nats:user:s/ecret@h',
    'etcd:user:%secret@h',
  ])('shows no secret of %s, whose slashes are not those of a server', (url) => {
    const message = expect.not.stringContaining('ecret@') as string;
    const error = expect.objectContaining({ code: 'invalid-options', message });
    expect(() => parseAddress(url, own)).toThrow(error);
    expect(() => parseAddress(url, own)).toThrow(/secrets never go in the URL/);
  });

  it('begins with a scheme', () => {
    const message =
      '"./x" is not a leadership URL: it must begin with a scheme, as in memory:GROUP';
    expect(() => parseAddress('./x', own)).toThrow(
      expect.objectContaining({ code: 'invalid-options', message }),
    );
    expect([schemeOf('1a:x'), schemeOf('a+b.c-d:x'), schemeOf(':x')]).toEqual([
      undefined,
      'a+b.c-d',
      undefined,
    ]);
  });
});

describe('the nearest name', () => {
  it.each([
    ['thresholdms', 'thresholdMs'],
    ['treshholdMs', 'thresholdMs'],
    ['threshold', 'thresholdMs'],
    ['partition', 'partitions'],
    ['memeber', 'member'],
    ['zzzzzz', undefined],
  ])('for %s is %s', (word, meant) => {
    expect(nearest(word, ['thresholdMs', 'partitions', 'member'])).toBe(meant);
  });

  it('is undefined if no name is similar', () => {
    expect(nearest('x', [])).toBeUndefined();
  });
});
