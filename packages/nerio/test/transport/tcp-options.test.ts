import { monotonicClock } from '@leadership/core/adapter';
import { parseHostPort } from '@leadership/peer';
import { expect, test } from 'vitest';
import { type TcpOptions, type TransportListener, tcpTransport } from '../../src/index.ts';
import { authority } from '../support/certificate.ts';
import { introductionOf, keys } from '../support/wire.ts';

test.each([
  ['a.example:7400', { host: 'a.example', port: 7400 }],
  ['127.0.0.1:1', { host: '127.0.0.1', port: 1 }],
  ['[::1]:65535', { host: '::1', port: 65_535 }],
  ['a.example', undefined],
  ['a.example:', undefined],
  ['a.example:0', undefined],
  ['a.example:65536', undefined],
  ['::1:7400', undefined],
  [':7400', undefined],
])('%s is parsed as an address, or rejected', (text, address) => {
  expect(parseHostPort(text)).toEqual(address);
});

test.each<readonly [TcpOptions, RegExp]>([
  [{ listen: { port: 65_536 } }, /listen\.port 65536 must be a whole number from 0 to 65535/],
  [{ heartbeatMs: 0 }, /heartbeatMs 0 must be a number above 0/],
  [{ connectMs: Number.POSITIVE_INFINITY }, /connectMs Infinity must be/],
  [{ heartbeatMs: 100, silenceMs: 150 }, /silenceMs 150 must be at least 2 × heartbeatMs 100/],
  [{ addresses: { a: 'nowhere' } }, /addresses\["a"\] is "nowhere"; it must be HOST:PORT/],
  [{ keys: { ...keys, sign: 'k9' } }, /keys\.sign is "k9"/],
  [{ port: 7400 } as TcpOptions, /tcpTransport has no option port; its options are listen,/],
])('%o is refused, with the reason', (options, sentence) => {
  expect(() => tcpTransport(options)).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: expect.stringMatching(sentence) }),
  );
});

const lost = (): never => {
  throw new Error('the vault is closed');
};
const later = (): never => Promise.reject(new Error('later')) as never;

test.each<readonly [TcpOptions, string, RegExp]>([
  [{ keys: lost }, 'unauthorized', /^keys\(\) threw: the vault is closed$/],
  [{ tls: lost }, 'unauthorized', /^tls\(\) threw: the vault is closed$/],
  [{ keys: later }, 'unauthorized', /^keys\(\) returned a promise/],
  [{ keys: () => undefined as never }, 'invalid-options', /^keys\(\) returned undefined/],
  [{ tls: () => undefined as never }, 'invalid-options', /^tls\(\) returned undefined/],
  [{ keys: () => ({ sign: 'k1' }) as never }, 'invalid-options', /^keys must be \{ sign: ID/],
  [{ tls: () => ({}) as never }, 'invalid-options', /tls\.cert and tls\.key must be PEM texts/],
])(
  'a member whose secrets cannot be loaded does not run without them: %o',
  (options, code, sentence) => {
    expect(() => tcpTransport(options)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(sentence) }),
    );
  },
);

test('silenceMs must exceed two heartbeats, also when T determines the heartbeat', () => {
  const open = tcpTransport({ listen: { host: '127.0.0.1', port: 0 }, silenceMs: 150 });
  const listener = {} as TransportListener;
  const parts = {
    self: introductionOf('a'),
    group: 'g',
    partitions: 1,
    thresholdMs: 600,
    clock: monotonicClock,
    random: Math.random,
    listener,
  };
  const refused = {
    code: 'invalid-options',
    message: 'silenceMs 150 must be at least 2 × heartbeatMs 100, because one echo may be late',
  };
  expect(() => open(parts)).toThrow(expect.objectContaining(refused));
});

test('without keys or tls a member connects only within its host, unless the options allow more', () => {
  const remedy = 'set keys or tls, or use 127.0.0.1, or set insecure: true';
  const fault = (
    options: TcpOptions,
    members: readonly [string, ...string[]],
  ): string | undefined => tcpTransport(options).fault?.(members[0], members);
  expect(fault({}, ['a.example:1'])).toBe(
    `member "a.example:1" would listen on all interfaces without authentication, so every host could vote: ${remedy}`,
  );
  expect(fault({ listen: { host: '10.0.0.1' } }, ['127.0.0.1:1'])).toMatch(
    /would listen on 10\.0\.0\.1 without authentication, so every host could vote/,
  );
  expect(fault({}, ['127.0.0.1:1', 'b.example:2'])).toMatch(
    /"b\.example:2" is at b\.example, and connections without authentication must stay/,
  );
  for (const local of ['127.0.0.1', '127.9.9.9', 'localhost', '[::1]'])
    expect(fault({}, [`${local}:1`, `${local}:2`])).toBeUndefined();
  expect(fault({ keys }, ['a.example:1', 'b.example:2'])).toBeUndefined();
  expect(fault({ insecure: true }, ['a.example:1', 'b.example:2'])).toBeUndefined();
  expect(() => tcpTransport({ insecure: 'yes' } as unknown as TcpOptions)).toThrow(
    /insecure "yes" must be true or false/,
  );
});

test('optional certificates keep a member on its host, as without certificates, unless there are keys', () => {
  const own = { ...authority().certify('a'), mutual: false };
  const fault = (options: TcpOptions): string | undefined =>
    tcpTransport(options).fault?.('a.example:1', ['a.example:1', 'b.example:2']);
  for (const tls of [own, () => own]) {
    expect(fault({ tls })).toMatch(
      /would listen on all interfaces without authentication, so every host could vote/,
    );
    expect(fault({ tls, keys })).toBeUndefined();
    expect(fault({ tls, insecure: true })).toBeUndefined();
  }
  expect(fault({ tls: { ...own, mutual: true } })).toBeUndefined();
});

test('a member listens at the address in its name, or at `listen`', () => {
  expect(tcpTransport({ insecure: true }).fault?.('a:1', ['a:1', 'b:2'])).toBeUndefined();
  expect(tcpTransport({ insecure: true }).fault?.('a', ['a', 'b:2'])).toMatch(
    /"a" is not a HOST:PORT: set listen\.port/,
  );
  expect(
    tcpTransport({ insecure: true, listen: { port: 0 } }).fault?.('a', ['a', 'b:2']),
  ).toBeUndefined();
  expect(tcpTransport({ insecure: true }).fault?.('a:1', ['a:1', 'b'])).toMatch(
    /"b" is not a HOST:PORT: addresses must contain/,
  );
  const addresses = { a: 'h:1', b: 'h:2' };
  expect(tcpTransport({ insecure: true, addresses }).fault?.('a', ['a', 'b'])).toBeUndefined();
  expect(
    tcpTransport({ insecure: true, addresses }).fault?.('a', ['a', 'b', 'c:3']),
  ).toBeUndefined();
  expect(tcpTransport({ insecure: true, addresses: lost }).fault?.('a', ['a'])).toMatch(
    /"a" has no known address: addresses\(\) threw: the vault is closed/,
  );
});

test('a member does not open if it may not call the other members', () => {
  const fault = (mayCall: NonNullable<TcpOptions['mayCall']>): string | undefined =>
    tcpTransport({ insecure: true, mayCall }).fault?.('a:1', ['a:1', 'b:2']);
  expect(
    fault(({ host, port }, member) => host === 'b' && port === 2 && member === 'b:2'),
  ).toBeUndefined();
  expect(fault(({ port }) => port !== 2)).toBe(
    'member "b:2" is not connected to: mayCall returned false',
  );
  expect(fault(lost)).toBe(
    'member "b:2" is not connected to: mayCall() threw: the vault is closed',
  );
  expect(fault(later)).toBe(
    'member "b:2" is not connected to: mayCall() returned a promise, which nothing can wait for there',
  );
});
