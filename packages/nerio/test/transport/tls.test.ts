import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { NerioTls } from '../../src/index.ts';
import { tcpTransport } from '../../src/index.ts';
import { type Authority, authority, type Certified } from '../support/certificate.ts';
import { closed, rawSocket } from '../support/raw-peer.ts';
import { AddressBook, type TcpMember, tcpMember } from '../support/tcp-members.ts';

const trusted = authority();
const stranger = authority('stranger');
const message = { epoch: 4, item: { kind: 'ping', beat: 1 } } as const;

/** Returns the TLS options of the member `name`, which trusts `trusted`. */
function tlsOf(member: string, by: Authority = trusted, changes: Partial<NerioTls> = {}): NerioTls {
  return { ...by.certify(member), ca: trusted.ca, ...changes };
}

test('members with certificates of one authority exchange messages', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, tls: tlsOf('a') });
  await using b = await tcpMember('b', { book, tls: tlsOf('b') });
  await a.reported('b mended');
  a.transport.send('b', message);
  await b.until('a is heard', () => b.received.length === 1);
});

/** Starts a proxy to that port, which records all bytes sent to it. */
async function tapped(
  port: number,
): Promise<AsyncDisposable & { readonly port: number; readonly taken: Buffer[] }> {
  const taken: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    near.on('data', (piece) => taken.push(piece));
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.each([
  ['with certificates no message', tlsOf, false],
  ['without certificates every message', () => undefined, true],
] as const)('%s is readable in transit', async (_, certificates, isReadable) => {
  const book = new AddressBook();
  const [ofA, ofB] = [certificates('a'), certificates('b')];
  await using b = await tcpMember('b', { book, reaches: [], ...(ofB && { tls: ofB }) });
  await using way = await tapped(b.port);
  book.divert('a', 'b', way.port);
  await using a = await tcpMember('a', { book, ...(ofA && { tls: ofA }) });
  await a.reported('b mended');
  a.transport.send('b', message);
  await b.until('a is heard', () => b.received.length === 1);
  expect(Buffer.concat(way.taken).includes('life-of-a')).toBe(isReadable);
});

test('a peer without TLS is ignored, and a silent one is disconnected', async () => {
  const book = new AddressBook();
  // Two members: b's short timeout must not apply to a, which may read late on a busy machine.
  await using a = await tcpMember('a', { book, tls: tlsOf('a'), connectMs: 60_000, reaches: [] });
  await using b = await tcpMember('b', { book, tls: tlsOf('b'), connectMs: 200, reaches: [] });
  const [speaks, silent] = await Promise.all([rawSocket(a.port), rawSocket(b.port)]);
  speaks.write(Buffer.from([0, 0, 0, 20, 1, ...Buffer.alloc(19)]));
  await Promise.all([closed(speaks), closed(silent)]);
  await a.until('the peer without TLS is counted', () => a.transport.dropped.forged === 1);
  await b.until('the silent peer is counted', () => b.transport.dropped.flood === 1);
});

test('a caller learns that its certificate is not trusted; an untrusted called member is refused too', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, tls: tlsOf('a') });
  // Trusts a, but is not trusted by it.
  await using b = await tcpMember('b', { book, tls: tlsOf('b', stranger) });
  await b.reported(/a failed: unauthorized: member "a" does not accept/);
  await a.reported('dropped forged');
  await a.reported(
    /b failed: unauthorized: member "b" has a certificate that this member does not trust/,
  );
  expect([...a.updates, ...b.updates].filter((line) => line.startsWith('met'))).toEqual([]);
});

test('a caller without a certificate is accepted only if the options allow it', async () => {
  const book = new AddressBook();
  const open = { ...tlsOf('a'), mutual: false };
  await using a = await tcpMember('a', { book, tls: open });
  await using b = await tcpMember('b', { book, tls: tlsOf('b', stranger) });
  await b.reported('a mended');
  b.transport.send('a', message);
  await a.until('b is heard', () => a.received.length === 1);
});

test('a certificate for another host is refused', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, tls: tlsOf('a') });
  await using b = await tcpMember('b', {
    book,
    tls: { ...trusted.certify('b', ['b', 'b.example']), ca: trusted.ca },
  });
  await a.reported(/b failed: unauthorized: .*does not match/);
  await b.reported('a mended');
});

test('`speaksFor` decides for which members a certificate speaks, on either side', async () => {
  const book = new AddressBook();
  const speaksFor: NerioTls['speaksFor'] = ({ subject }, member) => subject.CN === member;
  await using a = await tcpMember('a', { book, tls: tlsOf('a', trusted, { speaksFor }) });
  await using b = await tcpMember('b', { book, tls: tlsOf('b', trusted, { speaksFor }) });
  await a.reported('b mended');
  await b.reported('a mended');
  await using c = await tcpMember('c', { book, tls: tlsOf('not c') });
  await a.reported(/c failed: unauthorized: member "c" has a certificate for another name/);
  await a.reported('dropped forged');
  expect(c.updates.filter((line) => line.endsWith('mended'))).toEqual([]);
});

test('by default a certificate speaks for the member in its subject alternative names, and for no other', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, tls: tlsOf('a') });
  await using b = await tcpMember('b', { book, tls: tlsOf('b') });
  await a.reported('b mended');
  await b.reported('a mended');
  // It has b's certificate, signed by the right authority and for the right host, and calls itself
  // c.
  await using c = await tcpMember('c', { book, tls: tlsOf('b') });
  await a.reported(/c failed: unauthorized: member "c" has a certificate for another name/);
  await a.reported('dropped forged');
  expect(c.updates.filter((line) => line.endsWith('mended'))).toEqual([]);
});

const throws: NerioTls['speaksFor'] = () => {
  throw new Error('no such subject');
};
// A caller without types may return a promise, which is truthy for every peer unless the transport
// checks it.
const promises = (): never => Promise.resolve(false) as never;
const rejects = (): never => Promise.reject(new Error('no such subject')) as never;

test.each([
  ['throws', throws, /tls\.speaksFor\(\) threw: no such subject/],
  ['answers with a promise', promises, /tls\.speaksFor\(\) returned a promise/],
  ['rejects', rejects, /tls\.speaksFor\(\) returned a promise/],
] as const)(
  'a certificate check that %s admits no member, and is reported',
  async (_, speaksFor, why) => {
    const book = new AddressBook();
    await using a = await tcpMember('a', { book, tls: tlsOf('a', trusted, { speaksFor }) });
    await using b = await tcpMember('b', { book, tls: tlsOf('b') });
    // The caller learns that it is not trusted, and the called member receives nothing.
    await b.reported(/a failed: unauthorized: member "a" does not accept/);
    await a.reported(
      /b failed: unauthorized: member "b" has a certificate that could not be checked: /,
    );
    await a.reported(/^network failed: unauthorized: inbound connections are refused: /);
    expect(a.updates.filter((line) => why.test(line)).length).toBeGreaterThanOrEqual(2);
    expect(
      [...a.updates, ...b.updates].filter(
        (line) => line.startsWith('met') || line.endsWith('b mended'),
      ),
    ).toEqual([]);
  },
);

test('members with and without TLS cannot connect, in either direction', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, tls: tlsOf('a') });
  await using b = await tcpMember('b', { book });
  await a.reported(/b failed: unreachable/);
  await b.reported(/a failed: unreachable/);
  await a.reported('dropped forged');
  await b.reported('dropped oversized');
});

test('certificates are renewed while members run', async () => {
  const book = new AddressBook();
  let ofA: NerioTls = { ...tlsOf('a', stranger), ca: [trusted.ca, stranger.ca] };
  await using a = await tcpMember('a', { book, tls: () => ofA });
  await using b = await tcpMember('b', { book, tls: tlsOf('b') });
  await a.reported(/b failed: unauthorized/);
  await b.reported(/a failed: unauthorized/);
  expect(b.transport.isReached('a')).toBe(false);
  ofA = tlsOf('a');
  await a.reported('b mended');
  await b.reported('a mended');
});

/** Wraps a function and counts its calls; `often` waits for more than five further calls. */
function counted<T>(ask: () => T) {
  let times = 0;
  return {
    ask(): T {
      times += 1;
      return ask();
    },
    async often(member: TcpMember): Promise<void> {
      const before = times;
      await member.until('the function was called again and again', () => times > before + 5);
    },
  };
}

const timesMended = ({ updates }: TcpMember, name: string): number =>
  updates.filter((line) => line === `${name} mended`).length;

test('the same certificates in another object change nothing; others in the same object do', async () => {
  const book = new AddressBook();
  const ofA = { ...tlsOf('a') };
  const inUse = counted(() => ({ ...ofA, ca: [trusted.ca] }));
  const ofC = { ...tlsOf('c') };
  const changed = counted(() => ofC);
  await using a = await tcpMember('a', { book, tls: inUse.ask });
  await using b = await tcpMember('b', { book, tls: tlsOf('b') });
  await using c = await tcpMember('c', {
    book,
    introduction: { incarnation: 'life-of-c' },
    tls: changed.ask,
    reaches: ['b'],
  });
  await Promise.all([a.reported('b mended'), b.reported('a mended'), c.reported('b mended')]);
  await inUse.often(a);
  await changed.often(c);
  expect([timesMended(a, 'b'), timesMended(b, 'a'), timesMended(c, 'b')]).toEqual([1, 1, 1]);
  Object.assign(ofA, tlsOf('a'));
  Object.assign(ofC, tlsOf('c'));
  // A member with new certificates uses them in both directions, and reports nothing.
  await a.until('a calls anew', () => timesMended(a, 'b') === 2);
  await b.until('b calls anew', () => timesMended(b, 'a') === 2);
  await c.until('c calls anew', () => timesMended(c, 'b') === 2);
  await inUse.often(a);
  expect(timesMended(a, 'b')).toBe(2);
  expect(
    [...a.updates, ...c.updates].filter((line) => /^b failed(?!.*not a HOST)|^network/.test(line)),
  ).toEqual([]);
});

test('a member that is no longer trusted is disconnected everywhere', async () => {
  const book = new AddressBook();
  let { ca } = trusted;
  await using a = await tcpMember('a', { book, tls: () => ({ ...tlsOf('a'), ca }) });
  await using b = await tcpMember('b', { book, tls: tlsOf('b') });
  await Promise.all([a.reported('b mended'), b.reported('a mended')]);
  ca = stranger.ca;
  await a.reported(/b failed: unauthorized/);
  await b.reported(/a failed: unauthorized/);
  await a.reported('parted from life-of-b');
  b.transport.send('a', message);
  await a.until('b is turned away', () => a.transport.dropped.forged > 1);
  expect(a.received).toEqual([]);
});

test('the option mutual cannot change while the member runs', async () => {
  const book = new AddressBook();
  let mutual = true;
  await using a = await tcpMember('a', { book, tls: () => ({ ...tlsOf('a'), mutual }) });
  mutual = false;
  await a.reported(/network failed: unauthorized: tls\(\)\.mutual was true and is false/);
  await using b = await tcpMember('b', { book, tls: tlsOf('b', stranger) });
  await b.reported(/a failed: unauthorized/);
});

test('certificates that cannot work are refused before anything starts', () => {
  const { cert }: Certified = trusted.certify('a');
  const { key }: Certified = trusted.certify('b');
  expect(() => tcpTransport({ tls: { cert, key } })).toThrow(/tls does not work: .*key/);
});
