import { createServer, Socket } from 'node:net';
import { eventually } from '@leadership/testkit/adapter';
import * as library from '@platformatic/kafka';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openConnection, type Place } from '../../src/platformatic/connection.ts';

const over: (() => void)[] = [];
afterEach(() => {
  for (const end of over.splice(0)) end();
});

/** A server that accepts connections and never answers. */
async function mute(
  received: (data: Buffer) => void = () => undefined,
): Promise<{ readonly place: Place; readonly sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', received).on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  over.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return { place: { host: '127.0.0.1', port: address.port }, sockets };
}

const { signal: never } = new AbortController();
const login = { mechanism: 'PLAIN', username: 'u', password: 'p' } as const;

describe('a connection of the second client', () => {
  it('rejects its requests when the broker ends it abruptly', async () => {
    const { place, sockets } = await mute();
    const connection = await openConnection(library, {}, place, never);
    const asked = connection.ask(library.metadataV12.api, [], false, false);
    await eventually('the broker has taken it', () => sockets.size === 1);
    for (const socket of sockets) socket.resetAndDestroy();
    await expect(asked).rejects.toThrow(/onnection/);
    expect(connection.isOpen).toBe(false);
  });

  it('ends at once with its signal, also during requests', async () => {
    const { place, sockets } = await mute();
    const closing = new AbortController();
    const connection = await openConnection(library, {}, place, closing.signal);
    const asked = connection.ask(library.metadataV12.api, [], false, false);
    closing.abort();
    await expect(asked).rejects.toThrow();
    await eventually('the broker is rid of it', () => sockets.size === 0);
    await expect(openConnection(library, {}, place, closing.signal)).rejects.toThrow('closed');
  });

  it('rejects after its limit if a login is not answered', async () => {
    const { place, sockets } = await mute();
    await expect(
      openConnection(library, { sasl: login, connectTimeoutMs: 200 }, place, never),
    ).rejects.toThrow('200 ms');
    await eventually('the broker is rid of it', () => sockets.size === 0);
  });

  it('reads its certificates from a function, within its limit, and names the function', async () => {
    const { place } = await mute();
    let read = 0;
    const tls = async () => {
      read += 1;
      throw new Error('no such file');
    };
    for (const times of [1, 2]) {
      await expect(openConnection(library, { tls }, place, never)).rejects.toThrow(
        'the function tls failed: no such file',
      );
      expect(read).toBe(times);
    }
    const hangs = { tls: () => new Promise<never>(() => undefined), connectTimeoutMs: 50 };
    await expect(openConnection(library, hangs, place, never)).rejects.toThrow(
      'no answer within 50 ms while waiting for the function tls',
    );
  });

  it('waits for an answer as long as the caller: the library itself would wait for 30 s', async () => {
    const { place } = await mute();
    const connection = await openConnection(library, {}, place, never);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    over.push(() => vi.useRealTimers());
    let rejected: unknown;
    const asked = connection.ask(library.metadataV12.api, [], false, false).catch((error) => {
      rejected = error;
    });
    await vi.advanceTimersByTimeAsync(7 * 24 * 3_600_000);
    expect([connection.isOpen, rejected]).toEqual([true, undefined]);
    connection.end(new Error('the test is over'));
    await asked;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects with the error of the caller that refuses its socket', async () => {
    const { place, sockets } = await mute();
    const opened = (): never => {
      throw new Error('no socket may be opened');
    };
    await expect(openConnection(library, { opened }, place, never)).rejects.toThrow(
      'no socket may be opened',
    );
    await eventually('the broker is rid of it', () => sockets.size === 0);
  });

  it('rejects if Node refuses its certificate, and leaves no timer', async () => {
    const { place } = await mute();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    over.push(() => vi.useRealTimers());
    await expect(
      openConnection(library, { tls: () => ({ cert: 'nonsense' }) }, place, never),
    ).rejects.toThrow('PEM');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reports a refused connection', async () => {
    await expect(
      openConnection(library, {}, { host: '127.0.0.1', port: 1 }, never),
    ).rejects.toThrow('127.0.0.1:1');
  });

  it('that is retired ends once its requests are answered', async () => {
    const { place, sockets } = await mute();
    const connection = await openConnection(library, {}, place, never);
    const asked = connection.ask(library.metadataV12.api, [], false, false).catch(() => 'rejected');
    connection.retire();
    expect(connection.isOpen).toBe(true);
    for (const socket of sockets) socket.resetAndDestroy();
    await asked;
    const idle = await openConnection(library, {}, place, never);
    idle.retire();
    await eventually('it is gone', () => !idle.isOpen);
  });

  it.each([
    [{ servername: 'kafka.example' }, 'kafka.example'],
    [{}, 'localhost'],
  ])('by TLS with %j asks for the certificate of %s', async (tls, name) => {
    let hello = '';
    const { place } = await mute((data) => {
      hello += data.toString('latin1');
    });
    const opening = openConnection(
      library,
      { tls, connectTimeoutMs: 2_000 },
      { ...place, host: 'localhost' },
      never,
    ).catch(() => undefined);
    await eventually('the name arrives', () => hello.includes(name));
    for (const end of over.splice(0)) end();
    await opening;
  });

  it('is kept alive by the operating system, which notices a broker that vanished', async () => {
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const { place } = await mute();
    await openConnection(library, {}, place, never);
    expect(keepAlive).toHaveBeenCalledWith(true);
    keepAlive.mockRestore();
  });
});
