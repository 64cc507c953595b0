import { once } from 'node:events';
import { createServer, get, type RequestListener } from 'node:http';
import { connect, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { memoryGroup } from '@leadership/core/memory';
import { dashboard } from '@leadership/dashboard';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { application as onExpress } from '../src/on-express.ts';
import { application as onFastify } from '../src/on-fastify.ts';

async function serve() {
  let listener: RequestListener | undefined;
  const server = createServer((request, response) => listener?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    handle: (given: RequestListener) => {
      listener = given;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves with the first event of the page. */
function firstState(url: string): Promise<object> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}?events`, (response) => {
      response.setEncoding('utf8').once('data', (text: string) => {
        request.destroy();
        resolve(JSON.parse(text.slice('data: '.length)));
      });
    });
    request.once('error', reject);
  });
}

it.each([
  [
    'Express',
    async (source: Parameters<typeof onExpress>[0]) => onExpress(source) as RequestListener,
  ],
  [
    'Fastify',
    async (source: Parameters<typeof onFastify>[0]) => {
      const fastify = onFastify(source);
      await fastify.ready();
      return fastify.routing as RequestListener;
    },
  ],
])('%s: any member takes an order, probes, and shows the page', async (_name, application) => {
  const group = memoryGroup(crypto.randomUUID());
  await using one = await serve();
  await using two = await serve();
  const join = (member: string, url: string) =>
    group.join({ member, partitions: 1, metadata: { url }, log: false });
  await using a = join('a', one.url);
  await using b = join('b', two.url);
  await group.elect('a', 0);
  await expect.poll(() => b.role('orders').leader()?.member).toBe('a');
  one.handle(await application(a));
  two.handle(await application(b));
  for (const { url } of [one, two]) {
    const response = await fetch(`${url}/orders`, {
      method: 'POST',
      body: JSON.stringify({ item: 'tea' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ item: 'tea', takenBy: 'a' });
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    for (const page of [`${url}/admin/leadership`, `${url}/admin/leadership/`]) {
      const shown = await fetch(page, { redirect: 'error' });
      expect([page, shown.status]).toEqual([page, 200]);
      expect(await shown.text()).toContain(`<h1>${a.group}</h1>`);
      expect(await firstState(page)).toMatchObject({
        parts: { group: { group: a.group, ok: true } },
      });
    }
  }
});

it('Fastify over HTTP/2: the page and its events, with and without a slash', async () => {
  const group = memoryGroup(crypto.randomUUID());
  await using source = group.join({ member: 'a', partitions: 1, log: false });
  const fastify = Fastify({ http2: true });
  using page = dashboard(source);
  fastify.register(
    (pages, _options, done) => {
      pages.get('/', (request, reply) => {
        reply.hijack();
        page(request.raw, reply.raw);
      });
      done();
    },
    { prefix: '/admin/leadership' },
  );
  const sessions = new Set<ServerHttp2Session>();
  fastify.server.on('session', (session) => sessions.add(session));
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const client = connect(`http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`);
  const firstOf = async (path: string): Promise<string> => {
    const stream = client.request({ ':path': path }).setEncoding('utf8');
    const signal = AbortSignal.timeout(30_000);
    const [text] = await once(stream, 'data', { signal });
    stream.close();
    return String(text);
  };
  try {
    for (const path of ['/admin/leadership', '/admin/leadership/']) {
      expect(await firstOf(path)).toContain('<!doctype html>');
      expect(await firstOf(`${path}?events`)).toContain(`"group":"${source.group}"`);
    }
  } finally {
    page[Symbol.dispose]();
    client.destroy();
    // A server of HTTP/2 closes once its sessions have.
    for (const session of sessions) session.destroy();
    await fastify.close();
  }
});
