import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { LeadershipSource } from '@leadership/core';
import { type MemoryGroup, memoryGroup } from '@leadership/core/memory';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import {
  leadershipPlugin,
  type Middleware,
  proxyToLeader,
  readiness,
  redirectToLeader,
} from '../src/index.ts';
import { serve } from './support/two-members.ts';

type Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server of HTTP/2, and a client of it. */
interface Served extends AsyncDisposable {
  readonly authority: string;
  readonly client: ClientHttp2Session;
  /** Sends a request. Rejects if the answer is not complete. */
  ask(headers: OutgoingHttpHeaders, body?: string): Promise<Answer>;
}

async function serveHttp2(listener: Listener): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = connect(`http://${authority}`);
  client.on('error', () => undefined);
  return {
    authority,
    client,
    ask: (headers, body) => ask(client, headers, body),
    async [Symbol.asyncDispose]() {
      client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function ask(
  client: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  sent?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = client.request(headers, { endStream: sent === undefined });
    let received: IncomingHttpHeaders = {};
    let body = '';
    stream.on('response', (answer) => {
      received = answer;
    });
    stream.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    stream.on('error', reject);
    stream.on('close', () =>
      stream.rstCode === 0
        ? resolve({ headers: received, body })
        : reject(new Error(`the server reset the stream: ${stream.rstCode}`)),
    );
    if (sent !== undefined) stream.end(sent);
  });
}

/** Joins `a`, which leads and whose address is `url`, and `b`, which knows it. */
async function membersOf(url: string) {
  const group = memoryGroup(crypto.randomUUID());
  const a = group.join({ member: 'a', partitions: 1, metadata: { url }, log: false });
  const b = group.join({ member: 'b', partitions: 1, log: false });
  await group.elect('a', 0);
  await expect.poll(() => b.role(0).leader()?.member).toBe('a');
  return {
    group,
    a,
    b,
    async [Symbol.asyncDispose]() {
      await a.close();
      await b.close();
    },
  } satisfies { group: MemoryGroup; a: LeadershipSource; b: LeadershipSource } & AsyncDisposable;
}

/** A leader on HTTP/1 that answers with the request as it was received. */
const echo = () =>
  serve((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { method, url, headers } = request;
      response.end(JSON.stringify({ method, url, headers, body }));
    });
  });

const answering =
  (middleware: Middleware): Listener =>
  (request, response) =>
    middleware(request, response, () => response.end(`handled ${request.url}`));

const onFastify = async (source: LeadershipSource): Promise<Listener> => {
  const fastify = Fastify({ http2: true });
  await fastify.register(leadershipPlugin, { source, via: 'proxy', role: 0, readiness: '/readyz' });
  fastify.all('/orders', async (request) => `handled ${request.url}`);
  await fastify.ready();
  return fastify.routing as unknown as Listener;
};

describe.each([
  ['node:http2', async (source: LeadershipSource) => answering(proxyToLeader(source.role(0)))],
  ['Fastify 5 with http2', onFastify],
] as const)('a proxy in %s', (_name, listenerOf) => {
  it('passes a request on: method, path, body and authority; the leader handles its own', async () => {
    await using leader = await echo();
    await using members = await membersOf(leader.url);
    await using other = await serveHttp2(await listenerOf(members.b));
    const { headers, body } = await other.ask(
      { ':method': 'POST', ':path': '/orders?page=2', 'content-type': 'text/plain', 'x-mine': '1' },
      'tea',
    );
    expect(headers[':status']).toBe(200);
    const received = JSON.parse(body);
    expect(received).toMatchObject({ method: 'POST', url: '/orders?page=2', body: 'tea' });
    expect(received.headers).toMatchObject({
      'x-mine': '1',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': other.authority,
      host: new URL(leader.url).host,
    });
    await using own = await serveHttp2(await listenerOf(members.a));
    const handled = await own.ask({ ':path': '/orders' });
    expect(handled.body).toBe('handled /orders');
  });
});

describe('over HTTP/2', () => {
  it('a redirect and a probe answer', async () => {
    await using members = await membersOf('http://10.0.0.7:8080');
    await using redirecting = await serveHttp2(answering(redirectToLeader(members.b.role(0))));
    const { headers } = await redirecting.ask({ ':path': '/orders?page=2' });
    expect([headers[':status'], headers.location]).toEqual([
      ...[307, 'http://10.0.0.7:8080/orders?page=2'],
    ]);
    await using probed = await serveHttp2(readiness(members.b));
    expect((await probed.ask({ ':path': '/' })).headers[':status']).toBe(200);
  });

  it.each(['GET', 'DELETE', 'POST'])(
    'a %s body without a length reaches the leader as a body, never as a second request',
    async (method) => {
      await using leader = await echo();
      await using members = await membersOf(leader.url);
      await using other = await serveHttp2(answering(proxyToLeader(members.b.role(0))));
      const smuggled = 'POST /second HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n';
      const { body } = await other.ask({ ':method': method, ':path': '/first' }, smuggled);
      expect(JSON.parse(body)).toMatchObject({ method, url: '/first', body: smuggled });
      const empty = await other.ask({ ':method': method, ':path': '/empty' });
      expect(JSON.parse(empty.body).body).toBe('');
    },
  );

  it('a leader that cannot be reached is 503, also to a client that is still sending', async () => {
    const gone = await echo();
    await gone[Symbol.asyncDispose]();
    await using members = await membersOf(gone.url);
    await using other = await serveHttp2(answering(proxyToLeader(members.b.role(0))));
    const { headers } = await other.ask({ ':method': 'POST' }, 'tea'.repeat(1e5));
    expect([headers[':status'], headers['retry-after']]).toEqual([503, '1']);
    expect((await other.ask({ ':path': '/' })).headers[':status']).toBe(503);
  });

  it('an answer that the leader does not complete is reset', async () => {
    await using half = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => request.socket.destroy());
    });
    await using members = await membersOf(half.url);
    await using other = await serveHttp2(answering(proxyToLeader(members.b.role(0))));
    await expect(other.ask({ ':path': '/' })).rejects.toThrow();
  });

  it.each([
    ['a status that HTTP/2 does not have', 'HTTP/1.1 777 x\r\ncontent-length: 0\r\n\r\n', 502],
    ['a status below 100', 'HTTP/1.1 042 x\r\ncontent-length: 0\r\n\r\n', 502],
    [
      'headers of HTTP/1 connections',
      'HTTP/1.1 200 OK\r\nconnection: close\r\nkeep-alive: timeout=5\r\nproxy-connection: x\r\nhttp2-settings: x\r\nhost: x\r\ncontent-length: 0\r\n\r\n',
      200,
    ],
  ])('%s ends no process', async (_what, bytes, status) => {
    await using raw = await rawLeader(bytes);
    await using members = await membersOf(raw.url);
    const proxy = proxyToLeader(members.b.role(0));
    await using other = await serveHttp2(answering(proxy));
    expect((await other.ask({ ':path': '/' })).headers[':status']).toBe(status);
    // The same over HTTP/1, which has more statuses.
    await using first = await serve((request, response) =>
      proxy(request, response, () => undefined),
    );
    expect((await fetch(first.url)).status).toBeGreaterThanOrEqual(200);
  });

  it('a hand-over waits for no response whose client left before the leader could handle it', async () => {
    await using members = await membersOf('http://127.0.0.1:1');
    const { group, a, b } = members;
    const middleware = redirectToLeader(a.role(0));
    let handled = 0;
    await using own = await serveHttp2((request, response) => {
      response.once('close', () =>
        middleware(request, response, () => {
          handled += 1;
        }),
      );
    });
    const stream = own.client.request({ ':path': '/' });
    stream.on('error', () => undefined);
    await new Promise((resolve) => own.client.once('connect', resolve));
    await new Promise((resolve) => own.client.ping(resolve));
    stream.close(8);
    await expect.poll(() => handled).toBe(1);
    await group.elect('b', 0);
    expect(b.role(0).isLeading()).toBe(true);
  });
});

/** A leader that answers every request with these bytes. */
async function rawLeader(bytes: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
