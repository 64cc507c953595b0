import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type LoopbackServer,
  serveOnLoopback,
} from '../../../src/process/guard/loopback-server.ts';

let server: LoopbackServer;

beforeAll(async () => {
  server = await serveOnLoopback((_, response) => response.end('secret'), 0);
});
afterAll(() => server.close());

describe('a server for this host', () => {
  // A tunnel may listen on another port.
  test.each(['localhost:PORT', '[::1]:PORT', '127.0.0.1:9000', '127.0.0.1'])(
    'answers a request to %s',
    async (host) => {
      const answer = await answerTo(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 200 .*secret/s);
    },
  );

  test.each([
    'rebound.example:PORT',
    '127.0.0.1.rebound.example',
    'localhost.rebound.example',
    '127.0.0.1@rebound.example',
    '[::1',
    '',
  ])(
    'refuses one to "%s", a name that another site may have bound to this address',
    async (host) => {
      const answer = await answerTo(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 421 /);
      expect(answer).not.toContain('secret');
    },
  );

  test('refuses a request that names no host', async () => {
    expect(await answerTo('GET / HTTP/1.0\r\n')).toMatch(/^HTTP\/1.1 421 /);
  });

  test('ends its connections when it is closed', async () => {
    const own = await serveOnLoopback(() => own.close(), 0);
    const socket = connected(own);
    socket.once('error', () => {}); // It may be reset.
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.resume().once('close', resolve));
  });

  test('rejects if its port is taken', async () => {
    const port = Number(new URL(server.url).port);
    await expect(serveOnLoopback(() => {}, port)).rejects.toThrow('EADDRINUSE');
  });
});

/** Resolves with everything that the server sends. `PORT` in the request is its port. */
async function answerTo(request: string): Promise<string> {
  const socket = connected(server);
  await once(socket, 'connect');
  socket.write(`${request.replace('PORT', new URL(server.url).port)}\r\n`);
  return await text(socket);
}

function connected({ url }: LoopbackServer): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1');
}
