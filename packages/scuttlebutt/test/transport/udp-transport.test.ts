import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tcpProxy } from '@leadership/testkit/faults';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readMessage } from '../../src/transport/codec/message-form.ts';
import { openEnvelope } from '../../src/transport/envelope.ts';
import { udpTransport } from '../../src/transport/udp-transport.ts';
import {
  datagram,
  freeName,
  keyring,
  keys,
  message,
  open,
  partitions,
  portOf,
  stranger,
  tag,
} from '../support/sockets.ts';

describe('messages between members', () => {
  test('arrive, in a datagram or over a stream', async () => {
    const [a, b] = [await open(), await open()];
    const large = message(a.name, 500);
    // An address that has not proved itself is sent nothing of this size.
    b.transport.send(a.name, message(b.name));
    await expect.poll(() => [a, b].map(({ received }) => received.length)).toEqual([0, 0]);
    await expect
      .poll(() => {
        a.transport.send(b.name, large);
        return b.received;
      })
      .toContainEqual(large);
    a.transport.send(b.name, message(a.name));
    await expect.poll(() => b.received).toContainEqual(message(a.name));
    b.transport.send(a.name, message(b.name));
    await expect.poll(() => a.received.length).toBe(1);
    expect([...a.failed, ...b.failed, ...a.dropped, ...b.dropped]).toEqual([]);
  });

  test('leave room in a datagram, also for long names', async () => {
    const member = `localhost:${portOf(await freeName())}`;
    const { transport } = await open({ keys }, { member });
    expect(transport.messageBytesMax).toBeGreaterThan(1000);
    const long = { member: 'x'.repeat(255) };
    const addresses = { [long.member]: await freeName() };
    const { transport: other } = await open({ keys, addresses }, long);
    expect(other.messageBytesMax).toBeGreaterThan(600);
  });

  test('reach a member by its host name', async () => {
    const member = `localhost:${portOf(await freeName())}`;
    const [a, b] = [await open(), await open({ keys }, { member })];
    await expect
      .poll(() => {
        a.transport.send(b.name, message(a.name));
        return b.received.length;
      })
      .toBeGreaterThan(0);
  });

  test.each([
    ['another key', { sign: 'a', accept: { a: 'another secret of it' } }, 'g', 'forged'],
    ['a key of another id', { sign: 'b', accept: { b: keys.accept.a } }, 'g', 'forged'],
    ['another group', keys, 'h', 'wrong-group'],
  ] as const)('of a member with %s are dropped', async (_what, others, group, reason) => {
    const b = await open();
    const a = await open({ keys: others }, { group, configured: [b.name] });
    a.transport.send(b.name, message(a.name));
    a.transport.send(b.name, message(a.name, 500));
    await expect.poll(() => b.dropped).toEqual([reason, reason]);
    expect(b.received).toEqual([]);
  });

  test('of a member without keys are dropped, and it does not read signed ones', async () => {
    const b = await open();
    const a = await open({}, { configured: [b.name] });
    const socket = await stranger();
    socket.send(b.name, datagram(socket.name, b.name, {}, false));
    a.transport.send(b.name, message(a.name));
    await expect.poll(() => b.dropped).toEqual(['forged', 'forged']);
    socket.send(a.name, datagram(socket.name, a.name));
    await expect.poll(() => a.dropped).toEqual(['forged']);
    expect([...a.received, ...b.received]).toEqual([]);
  });
});

describe('a member without keys', () => {
  test('does not leave its host, and says the remedy', async () => {
    const port = portOf(await freeName());
    const member = `192.0.2.1:${port}`;
    await expect(open({}, { member })).rejects.toMatchObject({
      code: 'invalid-options',
      message: `member "${member}" would listen on all interfaces without authentication, so every host could vote: set keys, or use 127.0.0.1, or set insecure: true`,
    });
    const a = await open({}, { configured: ['192.0.2.1:80'] });
    a.transport.send('192.0.2.1:80', message(a.name));
    expect(a.failed).toEqual([expect.stringMatching(/is at 192\.0\.2\.1, .*set keys/)]);
    await open({ insecure: true }, { member });
  });
});

describe('keys', () => {
  test('rotate while members run, and a key that is accepted no longer is refused', async () => {
    const [old, young] = ['the old secret of it', 'the new secret of it'];
    const steps = {
      old: { sign: 'old', accept: { old } },
      both: { sign: 'old', accept: { old, young } },
      signs: { sign: 'young', accept: { old, young } },
      young: { sign: 'young', accept: { young } },
    };
    let [ofA, ofB]: [keyof typeof steps, keyof typeof steps] = ['old', 'old'];
    const b = await open({ keys: () => steps[ofB] });
    const a = await open({ keys: () => steps[ofA] }, { configured: [b.name] });
    const arrives = async (): Promise<void> => {
      b.received.length = 0;
      await expect
        .poll(
          () => {
            a.transport.send(b.name, message(a.name));
            return b.received.length;
          },
          { timeout: 20_000 },
        )
        .toBeGreaterThan(0);
    };
    for (const step of ['old', 'both', 'signs', 'young'] as const) {
      ofA = step;
      await arrives();
      ofB = step;
      await arrives();
    }
    ofA = 'old';
    b.dropped.length = 0;
    await expect
      .poll(
        () => {
          a.transport.send(b.name, message(a.name));
          return b.dropped;
        },
        { timeout: 20_000 },
      )
      .toContain('forged');
  });

  test('that cannot be loaded stop a start; later the previous ones stay in use', async () => {
    const broken = (): never => {
      throw new Error('no secret here');
    };
    expect(() => udpTransport({ keys: broken })).toThrow(/no secret here/);
    let load: () => typeof keys = () => keys;
    const b = await open({ keys: () => load() });
    load = broken;
    await expect.poll(b.keysError, { timeout: 20_000 }).toMatch(/previous ones stay in use/);
    const socket = await stranger();
    socket.send(b.name, datagram(socket.name, b.name));
    await expect.poll(() => socket.arrived.length).toBe(1);
    load = () => keys;
    await expect.poll(b.keysError, { timeout: 20_000 }).toBeUndefined();
  });

  test.each([
    [{ keys: { sign: 'a', accept: { a: 'short' } } }, /at least 16/],
    [{ key: keys }, /no option key; its options are listen, addresses, keys, insecure/],
    [{ insecure: 'yes' }, /insecure "yes" must be true or false/],
    [{ listen: { port: 70_000 } }, /listen.port 70000/],
    [{ addresses: { a: 'nowhere' } }, /addresses\["a"\] is "nowhere"/],
  ])('and options that are wrong are refused: %o', (options, message) => {
    expect(() => udpTransport(options as object)).toThrow(message);
  });
});

/** Opens a member that reaches another one through a port of this host. */
async function through(port: number, to: string) {
  const member = await freeName();
  const addresses = { [member]: member, [to]: `127.0.0.1:${port}` };
  return open({ keys, addresses }, { member, configured: [to] });
}

/** A member that has sent a message, over a stream, to the member that it takes the server for. */
async function sending(to: string, server: Server) {
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const b = await through(port, to);
  b.transport.send(to, message(b.name, 500));
  return { b, port };
}

/** The number of rows in the frame of a stream; `undefined` while it is incomplete. */
function rowsIn(frame: Buffer): number | undefined {
  const opened = openEnvelope(tag, keyring, frame.subarray(4));
  const body =
    typeof opened === 'string' ? undefined : readMessage(opened.content, partitions)?.body;
  return body?.kind === 'digest' ? body.rows.length : undefined;
}

describe('streams', () => {
  test('drop hostile bytes, do not read a frame that is too long, and never answer', async () => {
    const a = await open();
    const socket = connect(portOf(a.name), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(Buffer.alloc(10, 0xff));
    await once(socket, 'close');
    expect(a.dropped).toEqual(['malformed']);
    const other = connect(portOf(a.name), '127.0.0.1');
    const short = Buffer.alloc(24);
    short.writeUInt32BE(20);
    const arrived: Buffer[] = [];
    other.on('data', (bytes) => arrived.push(bytes));
    // In pieces: the length is not complete at first.
    other.setNoDelay(true).write(short.subarray(0, 2));
    await new Promise((sent) => setTimeout(sent, 20));
    other.write(short.subarray(2));
    await once(other, 'close');
    expect(a.dropped).toEqual(['malformed', 'wrong-group']);
    expect(arrived, 'a stranger receives nothing').toEqual([]);
  });

  test('that stop in the middle of a message are closed and counted', async () => {
    const a = await open();
    const [slow, gone] = [1, 2].map(() => connect(portOf(a.name), '127.0.0.1'));
    const half = Buffer.alloc(24);
    half.writeUInt32BE(100);
    slow?.write(half);
    gone?.end(half);
    await expect.poll(() => a.dropped).toEqual(['incomplete']);
    const sentAt = performance.now();
    if (slow) await once(slow, 'close');
    expect(performance.now() - sentAt, 'soon after 5 s').toBeGreaterThan(3000);
    await expect.poll(() => a.dropped).toEqual(['incomplete', 'incomplete']);
    // One that connects and sends nothing, as a port check does, is none.
    const silent = connect(portOf(a.name), '127.0.0.1').end();
    await once(silent.resume(), 'close');
    expect(a.dropped).toHaveLength(2);
  }, 30_000);

  test('that send nothing do not keep others out', async () => {
    const a = await open();
    const silent = Array.from({ length: 70 }, () => connect(portOf(a.name), '127.0.0.1'));
    for (const socket of silent) socket.on('error', () => undefined);
    await expect.poll(() => a.dropped.filter((one) => one === 'flood').length).toBe(6);
    const b = await open({ keys }, { configured: [a.name], partitions });
    await expect
      .poll(() => {
        b.transport.send(a.name, message(b.name, 500));
        return a.received.length;
      })
      .toBeGreaterThan(0);
    for (const socket of silent) socket.destroy();
  });

  test('to a member that does not take them are few', async () => {
    const a = await open();
    const name = await freeName();
    const configured = [name];
    const b = await open({ keys }, { configured });
    for (let time = 0; time < 40; time += 1) b.transport.send(name, message(b.name, 500));
    await expect.poll(() => b.streamed.length).toBe(3);
    const refused = /^TCP port \d+ of 127\.0\.0\.1: connect ECONNREFUSED/;
    for (const [member, why] of b.streamed)
      expect([member, why]).toEqual([name, expect.stringMatching(refused)]);
    expect(b.dropped, 'the messages that were not sent').toEqual(Array(37).fill('unsent'));
    expect([...a.failed, ...b.failed]).toEqual([]);
  });

  test('to a slow member carry the newest message next, and not those in between', async () => {
    const connections: { readonly socket: Socket; readonly chunks: Buffer[] }[] = [];
    const slow = createServer((socket) => {
      const chunks: Buffer[] = [];
      connections.push({ socket, chunks });
      socket.on('data', (bytes) => chunks.push(bytes)).on('error', () => undefined);
    });
    const name = await freeName();
    const { b } = await sending(name, slow);
    for (const size of [501, 502, 503, 504]) b.transport.send(name, message(b.name, size));
    await expect.poll(() => connections.length).toBe(2);
    connections[0]?.socket.end(Buffer.of(1));
    const sizes = (): readonly (number | undefined)[] =>
      connections.map(({ chunks }) => rowsIn(Buffer.concat(chunks)));
    await expect.poll(sizes).toEqual([500, 501, 504]);
    expect(b.dropped).toEqual(['unsent', 'unsent']);
  });

  test('that a proxy accepts and does not pass on are reported with the port', async () => {
    const proxy = createServer((socket) => {
      socket.on('data', () => socket.end());
    });
    const name = await freeName();
    const { b, port } = await sending(name, proxy);
    const closed = `TCP port ${port} of 127.0.0.1: it closed the connection without taking the message`;
    await expect.poll(() => b.streamed).toEqual([[name, closed]]);
  });

  test('that are answered with anything else do not count as taken', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    const name = await freeName();
    const { b, port } = await sending(name, server);
    const other = `TCP port ${port} of 127.0.0.1: it answered what no member answers`;
    await expect.poll(() => b.streamed).toEqual([[name, other]]);
  });

  test('are confirmed also through a proxy that closes both directions with one', async () => {
    const a = await open();
    const proxy = createServer((socket) => {
      const onward = connect(portOf(a.name), '127.0.0.1');
      socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
      onward.on('error', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    const { b } = await sending(a.name, proxy);
    await expect.poll(() => b.streamed).toEqual([[a.name, undefined]]);
    expect(a.received).toHaveLength(1);
  });

  test('that the receiver does not take are reported with the port', async () => {
    const a = await open({ keys: { sign: 'a', accept: { a: 'another secret of it' } } });
    const b = await open({ keys }, { configured: [a.name] });
    b.transport.send(a.name, message(b.name, 500));
    await expect.poll(() => b.streamed).toEqual([[a.name, expect.stringMatching(/TCP port/)]]);
    expect(a.dropped).toEqual(['forged']);
  });

  test('that a firewall drops are reported within 5 s with the port, and so is one that arrives later', async () => {
    const a = await open();
    await using proxy = await tcpProxy({ port: portOf(a.name) });
    const b = await through(proxy.port, a.name);
    proxy.halfOpen();
    b.transport.send(a.name, message(b.name, 500));
    const late = `TCP port ${proxy.port} of 127.0.0.1: it has taken no message within 5 s`;
    await expect.poll(() => b.streamed, { timeout: 20_000 }).toEqual([[a.name, late]]);
    expect(a.received).toEqual([]);
    proxy.mend();
    b.transport.send(a.name, message(b.name, 500));
    await expect
      .poll(() => b.streamed)
      .toEqual([
        [a.name, late],
        [a.name, undefined],
      ]);
    expect(a.received).toHaveLength(1);
    expect([...b.failed, ...b.dropped]).toEqual([]);
  }, 30_000);
});
