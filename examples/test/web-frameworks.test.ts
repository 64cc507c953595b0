import { createServer, get, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memoryGroup } from '@leadership/core/memory';
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
    const page = `${url}/admin/leadership`;
    expect(await (await fetch(page)).text()).toContain(`<h1>${a.group}</h1>`);
    expect(await firstState(page)).toMatchObject({ group: a.group, ok: true });
  }
});
