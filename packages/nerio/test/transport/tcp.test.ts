import { expectNoResourcesLeft, freePorts, resourcesInUse } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import { AddressBook, tcpMember } from '../support/tcp-members.ts';
import { keys, secret } from '../support/wire.ts';

/** Where connections are counted, a beat that is late on a busy machine must end none. */
const silenceMs = 60_000;

const ping = (beat: number, epoch = 4) => ({ epoch, item: { kind: 'ping', beat } }) as const;

test('members meet, exchange messages in order, and part', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book });
  {
    await using b = await tcpMember('b', { book });
    await a.reported('b mended');
    await b.reported('a mended');
    expect(a.transport.isReached('b')).toBe(true);
    expect(a.transport.isReached('c')).toBe(false);
    a.transport.send('b', ping(1));
    a.transport.send('b', { epoch: 4, item: { kind: 'learn', beat: 2 } });
    b.transport.send('a', ping(3));
    await b.until('two messages', () => b.received.length === 2);
    await a.until('one message', () => a.received.length === 1);
    expect(b.received).toEqual([
      { from: 'a', ...ping(1) },
      { from: 'a', epoch: 4, item: { kind: 'learn', beat: 2 } },
    ]);
    b.transport.send('a', ping(4));
  }
  // The last message was sent before the close.
  await a.reported('parted from life-of-b');
  expect(a.received.at(-1)).toEqual({ from: 'b', ...ping(4) });
  await a.until('b is out of reach', () => !a.transport.isReached('b'));
  expect(a.updates.filter((line) => line === 'met life-of-b')).toHaveLength(1);
});

test('a member publishes its first trouble and its roles, on each new connection and with its beats', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book });
  a.transport.publish?.({ roles: ['mail'] });
  {
    await using b = await tcpMember('b', { book });
    await b.reported('life-of-a publishes ,mail');
    a.transport.publish?.({ trouble: 'unreachable', roles: ['mail', 'billing'] });
    await b.reported('life-of-a publishes unreachable,mail,billing');
    a.transport.publish?.({});
    await b.reported('life-of-a publishes ');
  }
  a.transport.publish?.({ trouble: 'work-failed' });
  await using c = await tcpMember('c', { book });
  await c.reported('life-of-a publishes work-failed');
  expect(c.updates.filter((line) => line.startsWith('life-of-a publishes'))).toHaveLength(1);
  expect(a.transport.dropped).toEqual(c.transport.dropped);
});

test('a message of another epoch is dropped and reported; a running message is accepted in any epoch (N13)', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book });
  await using b = await tcpMember('b', { book, epoch: 5 });
  await a.reported('b mended');
  const epoch = {
    number: 4,
    members: [{ member: 'a' }],
    quorums: { kind: 'majority' },
    tokens: [],
  } as const;
  a.transport.send('b', ping(1));
  a.transport.send('b', { epoch: 4, item: { kind: 'running', epoch } });
  await b.reported('a is in 4');
  expect(b.received).toEqual([{ from: 'a', epoch: 4, item: { kind: 'running', epoch } }]);
  expect(b.transport.dropped['wrong-epoch']).toBe(1);
  b.transport.enter({ ...epoch, members: [{ member: 'a' }, { member: 'b' }] });
  a.transport.send('b', ping(2));
  await b.until('a is heard', () => b.received.length === 2);
});

test('a new incarnation of a member replaces the old one; connections with the old one end', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book });
  const b = await tcpMember('b', { book });
  await a.reported('b mended');
  const { port } = b;
  await b.transport.close();
  await a.reported('parted from life-of-b');
  await using again = await tcpMember('b', {
    book,
    listen: { host: '127.0.0.1', port },
    introduction: { incarnation: 'second' },
  });
  await a.reported('met second');
  await a.until('it is in reach', () => a.transport.isReached('b'));
  again.transport.send('a', ping(1));
  await a.until('it is heard', () => a.received.length === 1);
});

test('a displaced process receives the incarnation and address of the other; a restart notifies no process', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, reaches: ['a', 'b'] });
  const restarted = await tcpMember('b', {
    book,
    reaches: ['a'],
    introduction: { incarnation: 'before' },
  });
  await a.reported('met before');
  await restarted.transport.close();
  await using first = await tcpMember('b', {
    book,
    reaches: ['a'],
    introduction: { incarnation: 'first' },
  });
  await a.reported('met first');
  expect(first.updates.filter((line) => line.startsWith('displaced'))).toEqual([]);
  await using second = await tcpMember('b', {
    book,
    reaches: ['a'],
    introduction: { incarnation: 'second' },
  });
  await first.reported('displaced at a by second from 127.0.0.1');
  await first.reported(
    'a failed: displaced: member "a" has ended the connection, because incarnation second has this member\'s name too',
  );
  // The first process calls again, and displaces the second.
  await second.reported('displaced at a by first from 127.0.0.1');
  expect(restarted.updates.filter((line) => line.startsWith('displaced'))).toEqual([]);
});

test('a displaced process receives the listening address of the other, if that address was called', async () => {
  const book = new AddressBook();
  await using first = await tcpMember('b', {
    book,
    reaches: [],
    introduction: { incarnation: 'first' },
  });
  await using second = await tcpMember('b', {
    book: new AddressBook(),
    reaches: [],
    introduction: { incarnation: 'second' },
  });
  await using a = await tcpMember('a', { book, reaches: [] });
  first.transport.reach(['a']);
  await a.reported('met first');
  book.divert('a', 'b', second.port);
  a.transport.reach(['b']);
  await first.reported(`displaced at a by second from 127.0.0.1:${second.port}`);
});

test('members with different pins drop messages of each other (R3)', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book });
  await using b = await tcpMember('b', { book, introduction: { pin: { partitions: 8 } } });
  await a.reported(
    'b failed: partitions-differ: member "b" has another configuration: partitions is 3 here and 8 there',
  );
  await b.reported(
    'a failed: partitions-differ: member "a" has another configuration: partitions is 8 here and 3 there',
  );
  await a.reported('dropped pin-differs');
  expect([...a.updates, ...b.updates].filter((line) => line.startsWith('met'))).toEqual([]);
});

test.each([
  [
    'another group',
    { keys, group: 'other' },
    /b failed: misconfigured-backend: member "b" belongs to another group/,
    'wrong-group',
  ],
  [
    'another key',
    { keys: { sign: 'k1', accept: { k1: 'a key that nobody knows' } } },
    /b failed: unauthorized/,
    'forged',
  ],
  ['no key', {}, /b failed: unauthorized/, 'forged'],
] as const)('a member of %s receives no answer but the reason', async (_, changes, why, kind) => {
  const book = new AddressBook();
  await using b = await tcpMember('b', { book, keys });
  await using a = await tcpMember('a', { book, ...changes });
  await a.reported(why);
  await b.reported(`dropped ${kind}`);
  expect(b.updates.filter((line) => line.startsWith('met'))).toEqual([]);
});

test('a member that answers at the address of another is refused', async () => {
  const book = new AddressBook();
  await using c = await tcpMember('c', { book, keys });
  await using a = await tcpMember('a', {
    book,
    keys,
    addresses: (name) => (name === 'b' ? `127.0.0.1:${c.port}` : undefined),
  });
  await a.reported(/b failed: misconfigured-backend: member "b" has another member name/);
  await c.reported('dropped misdirected');
});

test('a rotation of keys ends only connections', async () => {
  const book = new AddressBook();
  const k2 = 'another secret of sixteen bytes or more';
  let asked = 0;
  let [ofA, ofB] = [keys, keys];
  const askedBy = (own: () => typeof keys) => (): typeof keys => {
    asked += 1;
    return own();
  };
  await using a = await tcpMember('a', { book, keys: askedBy(() => ofA), silenceMs });
  await using b = await tcpMember('b', { book, keys: askedBy(() => ofB), silenceMs });
  await a.reported('b mended');
  await b.reported('a mended');
  const askedOften = async (): Promise<void> => {
    const before = asked;
    await a.until('both have read their keys', () => asked > before + 6);
  };
  const both = { k1: secret, k2 };
  ofA = { sign: 'k1', accept: both };
  await askedOften();
  ofB = { sign: 'k2', accept: both };
  await askedOften();
  ofA = { sign: 'k2', accept: both };
  await askedOften();
  expect(
    [a, b].map(({ updates }) => updates.filter((line) => line.endsWith('mended')).length),
  ).toEqual([1, 1]);
  [ofA, ofB] = [
    { sign: 'k2', accept: { k2 } },
    { sign: 'k2', accept: { k2 } },
  ];
  // No connection with the first key is left.
  await a.until(
    'a new connection',
    () => a.updates.filter((line) => line === 'b mended').length > 1,
  );
  await b.until(
    'a new connection',
    () => b.updates.filter((line) => line === 'a mended').length > 1,
  );
  await a.until('b is in reach', () => a.transport.isReached('b'));
  a.transport.send('b', ping(1));
  await b.until('a is heard', () => b.received.length === 1);
});

test('a different key under the same id is a new key; the same key in another object is not', async () => {
  const book = new AddressBook();
  let asked = 0;
  let [ofA, ofB] = [secret, secret];
  const with1 = (k1: string): typeof keys => {
    asked += 1;
    return { sign: 'k1', accept: { k1 } };
  };
  await using a = await tcpMember('a', { book, keys: () => with1(ofA), silenceMs });
  await using b = await tcpMember('b', { book, keys: () => with1(ofB), silenceMs });
  await a.reported('b mended');
  await b.reported('a mended');
  await a.until('both have read their keys', () => asked > 12);
  expect(
    [a, b].map(({ updates }) => updates.filter((line) => line.endsWith('mended')).length),
  ).toEqual([1, 1]);
  ofA = 'another secret of sixteen bytes or more';
  await a.reported('parted from life-of-b');
  await b.reported('parted from life-of-a');
  await b.reported(/a failed: unauthorized/);
  ofB = ofA;
  await a.until('a new connection', () => a.transport.isReached('b') && b.transport.isReached('a'));
});

test.each([
  [
    'are not given',
    () => {
      throw new Error('the vault is closed');
    },
    /network failed: unauthorized: keys\(\) threw: the vault is closed; the previous ones stay in use/,
  ],
  [
    'are forgotten',
    () => undefined as never,
    /network failed: unauthorized: keys\(\) returned undefined/,
  ],
  [
    'are not to be used',
    () => ({ sign: 'k1', accept: { k1: 'short' } }),
    /network failed: unauthorized: the key "k1" has 5 bytes/,
  ],
] as const)(
  'keys that %s leave the previous keys in use, and are reported',
  async (_, lost, sentence) => {
    const book = new AddressBook();
    let isLost = false;
    const vault = (): typeof keys => (isLost ? lost() : keys);
    await using a = await tcpMember('a', { book, keys: vault });
    await using b = await tcpMember('b', { book, keys });
    await a.reported('b mended');
    isLost = true;
    await a.reported(sentence);
    a.transport.send('b', ping(1));
    await b.until('a is heard', () => b.received.length === 1);
    // Without keys the member also calls no other member and accepts no message.
    await b.transport.close();
    await a.reported('parted from life-of-b');
    await using open = await tcpMember('c', { book });
    await open.reported(/a failed: unauthorized/);
    expect(
      [...a.updates, ...open.updates].filter(
        (line) => line.startsWith('met life-of-c') || line === 'a mended',
      ),
    ).toEqual([]);
    isLost = false;
    await a.reported('network mended');
  },
);

const broken = (): never => {
  throw new Error('the registry is away');
};
const brokenLater = (): never => Promise.reject(new Error('the registry is away')) as never;

test.each([
  [
    'throw',
    broken,
    /b failed: unreachable: member "b" has no known address: addresses\(\) threw: the registry is away/,
  ],
  [
    'answer with a promise',
    brokenLater,
    /b failed: unreachable: member "b" has no known address: addresses\(\) returned a promise/,
  ],
] as const)(
  'addresses that %s leave a member out of reach, and nothing else',
  async (_, lost, sentence) => {
    const book = new AddressBook();
    let isLost = true;
    await using b = await tcpMember('b', { book });
    await using a = await tcpMember('a', {
      book,
      addresses: (name) => (isLost && name === 'b' ? lost() : book.find('a', name)),
    });
    await a.reported(sentence);
    await b.reported('a mended');
    isLost = false;
    await a.reported('b mended');
  },
);

test.each([
  ['throws', broken],
  ['rejects later', brokenLater],
] as const)('a listener that %s is reported, and does not affect others', async (_, lost) => {
  const book = new AddressBook();
  const listen = { host: '127.0.0.1', port: (await freePorts(1))[0] ?? 0 };
  let isReported = false;
  const listening = (): void => {
    book.set('a', listen.port);
    isReported = true;
    return lost();
  };
  await using b = await tcpMember('b', { book, reaches: [] });
  await using a = await tcpMember('a', { book, listen, listening, isListening: () => isReported });
  await a.reported(
    /^network failed: unreachable: the address on which this member listens was not reported: listening\(\) threw: the registry is away$/,
  );
  await a.reported('b mended');
  a.transport.send('b', ping(1));
  await b.until('a is heard', () => b.received.length === 1);
});

test('a member waits until its port is free', async () => {
  const book = new AddressBook();
  const first = await tcpMember('a', { book });
  const other = tcpMember('b', { book, listen: { host: '127.0.0.1', port: first.port } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await first.transport.close();
  await using second = await other;
  await second.reported('network mended');
  expect(second.updates[0]).toMatch(
    /^network failed: unreachable: this member cannot listen.*EADDRINUSE/,
  );
});

test('close() releases every resource: while connected, calling, waiting to retry, or not yet listening', async () => {
  const before = resourcesInUse();
  const book = new AddressBook();
  const a = await tcpMember('a', { book });
  const b = await tcpMember('b', { book });
  await a.reported('b mended');
  await a.reported(/^c failed/);
  await Promise.all([a.transport.close(), a.transport.close(), b.transport.close()]);
  const late = tcpMember('c', { book });
  const c = await late;
  c.transport.send('a', ping(1));
  await c.transport.close();
  c.transport.send('a', ping(2));
  c.transport.reach(['a']);
  const updates = [a, b, c].map((one) => one.updates.length);
  await expectNoResourcesLeft(before);
  expect([a, b, c].map((one) => one.updates.length)).toEqual(updates);
});
