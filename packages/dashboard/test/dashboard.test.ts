import { once } from 'node:events';
import { createServer, get, type Server, type ServerResponse } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type LeadershipSource, openLeadership } from '@leadership/core';
import express from 'express';
import { interval } from 'rxjs';
import { expect, it } from 'vitest';
import { dashboard } from '../src/index.ts';
import { type PageHandler, pageHandler, type Snapshot } from '../src/internal.ts';
import { ShownParts, type ShownState } from './support/shown-state.ts';

interface Served extends AsyncDisposable {
  readonly address: string;
}

async function serve(server: Server): Promise<Served> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function ledSource(group: string): Promise<LeadershipSource> {
  const source = await openLeadership(`memory:${group}`, { member: 'alice', partitions: 2 });
  await expect.poll(() => source.held().size).toBe(2);
  return source;
}

/** Reads the events of the page until `isEnough` accepts the state after one, and returns it. */
function nextState(address: string, isEnough: (state: ShownState) => boolean): Promise<ShownState> {
  return new Promise((resolve, reject) => {
    const request = get(`${address}?events`, (response) => {
      const shown = new ShownParts();
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const state = shown.after(JSON.parse(event.slice('data: '.length)));
          if (!isEnough(state)) continue;
          request.destroy();
          resolve(state);
        }
      });
      response.on('end', () => reject(new Error('the stream has ended')));
    });
    request.on('error', () => undefined);
  });
}

it('serves a page whose policy allows its own script and style only', async () => {
  await using source = await ledSource('page');
  using handler = dashboard(source, { title: '<b>"x"&' });
  await using served = await serve(createServer(handler));
  const response = await fetch(served.address);
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(response.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/);
  const html = await response.text();
  expect(html).toContain('<h1>&#60;b&#62;&#34;x&#34;&#38;</h1>');
  expect(html, 'it needs no other file').not.toMatch(/(src|href)="(?!data:)/);
});

it('only reads', async () => {
  await using source = await ledSource('reads');
  using handler = dashboard(source);
  await using served = await serve(createServer(handler));
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const { status, headers } = await fetch(served.address, { method });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
});

it('sends the leaders, the remaining leases, and how terms have ended', async () => {
  await using source = await ledSource('states');
  using handler = dashboard(source);
  await using served = await serve(createServer(handler));
  const first = await nextState(served.address, () => true);
  expect(first).toMatchObject({ group: 'states', ok: true });
  expect(first.leaders.map(({ member }) => member)).toEqual(['alice', 'alice']);
  expect(first.leaders[0]?.endsMs).toBeGreaterThan(first.clockMs);
  const resigned = nextState(served.address, ({ terms }) =>
    terms.some(({ ended }) => ended === 'handed-over'),
  );
  await source.role(0).resign();
  expect((await resigned).terms.length).toBeGreaterThan(1);
});

it('shows the members with their roles and states, but not an observer that serves the page', async () => {
  await using source = await ledSource('listed');
  source.role('mail');
  const options = { member: 'observer', partitions: 2, campaign: false };
  await using observer = await openLeadership('memory:listed', options);
  using handler = dashboard(observer);
  await using served = await serve(createServer(handler));
  const state = await nextState(
    served.address,
    ({ roles, members }) => roles.length > 0 && members[0]?.state === 'leads',
  );
  const { partition } = source.role('mail');
  expect(state.roles).toEqual([{ partition, names: ['mail'] }]);
  expect(state.members).toEqual([{ name: 'alice', state: 'leads', sinceMs: expect.any(Number) }]);
});

it('lists nobody where no member is left: neither those that led, nor the observer that serves the page', async () => {
  const source = await ledSource('left');
  const options = { member: 'observer', partitions: 2, campaign: false };
  await using observer = await openLeadership('memory:left', options);
  using handler = dashboard(observer);
  await using served = await serve(createServer(handler));
  await nextState(served.address, ({ members }) => members[0]?.state === 'leads');
  await source.close();
  const { members } = await nextState(
    served.address,
    (state) => state.members.length > 0 && state.members.every((one) => one.state === 'gone'),
  );
  expect(members.map(({ name }) => name)).toEqual(['alice']);
});

it('ends its streams with the source, so that a server can close', async () => {
  const source = await ledSource('ends');
  using handler = dashboard(source);
  await using served = await serve(createServer(handler));
  const ended = nextState(served.address, () => false);
  const rejected = expect(ended).rejects.toThrow('the stream has ended');
  await nextState(served.address, () => true);
  await source.close();
  await rejected;
});

it('can be mounted in Express, below a path', async () => {
  await using source = await ledSource('express');
  using handler = dashboard(source);
  const app = express();
  app.use('/admin/leadership', handler);
  await using served = await serve(createServer(app));
  const address = `${served.address}/admin/leadership`;
  expect(await (await fetch(address)).text()).toContain('<h1>express</h1>');
  expect(await nextState(address, () => true)).toMatchObject({ group: 'express' });
});

it('escapes the characters of a member that would change how the page shows others', async () => {
  const member = '\u202ealice\u001b';
  const group = `escaped\u2066`;
  await using source = await openLeadership(`memory:${encodeURIComponent(group)}`, {
    member,
    partitions: 1,
  });
  await expect.poll(() => source.held().size).toBe(1);
  using handler = dashboard(source);
  await using served = await serve(createServer(handler));
  const state = await nextState(served.address, ({ leaders }) => leaders.length === 1);
  expect(state.leaders[0]?.member).toBe(String.raw`\u{202e}alice\u{1b}`);
  expect(state.group).toBe(String.raw`escaped\u{2066}`);
  const page = await (await fetch(served.address)).text();
  expect(page).toContain(String.raw`<h1>escaped\u{2066}</h1>`);
});

it('leaves the number of partitions out until a member has opened the group', async () => {
  const options = { partitions: 2, log: false } as const;
  await using observer = await openLeadership('memory:later', { ...options, campaign: false });
  using handler = dashboard(observer);
  await using served = await serve(createServer(handler));
  const before = await nextState(served.address, ({ ok }) => !ok);
  expect(before).not.toHaveProperty('partitions');
  expect(before).toMatchObject({ leaders: [], troubles: [{ code: 'unknown-group' }] });
  await using _ = await openLeadership('memory:later', options);
  expect(await nextState(served.address, ({ ok }) => ok)).toMatchObject({ partitions: 2 });
});

/** Opens the stream of events over a socket that reads nothing. */
async function openUnread(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.write(`GET /?events HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  socket.pause();
  return socket;
}

/** Reads the stream of events, and drops it. */
function readOn(address: string): Disposable {
  const request = get(`${address}?events`, (response) => response.resume());
  request.on('error', () => undefined);
  return { [Symbol.dispose]: () => void request.destroy() };
}

/** A page whose state is large, sent as fast as possible. */
function floodingPage(): { readonly page: PageHandler; readonly snapshots: () => number } {
  let snapshots = 0;
  const page = pageHandler({
    title: 'flood',
    snapshot: () => {
      snapshots += 1;
      const none = { leaders: [], roles: [], members: [], terms: [], troubles: [], warnings: [] };
      const news = `${snapshots} ${'x'.repeat(100_000)}`;
      return { ...none, news } as unknown as Snapshot;
    },
    changes$: interval(1),
  });
  return { page, snapshots: () => snapshots };
}

it('a reader that does not read costs no memory, and receives the latest state when it reads', async () => {
  const { page, snapshots } = floodingPage();
  const responses: ServerResponse[] = [];
  await using served = await serve(
    createServer((request, response) => {
      responses.push(response);
      page(request, response);
    }),
  );
  const unread = await openUnread(served.address);
  using _reader = readOn(served.address);
  await expect.poll(snapshots).toBeGreaterThan(300);
  expect(responses[0]?.writableLength).toBeLessThan(1_000_000);
  const before = snapshots();
  let text = '';
  unread
    .setEncoding('utf8')
    .on('data', (part: string) => {
      text = (text + part).slice(-250_000);
    })
    .resume();
  const latest = (): number =>
    Math.max(0, ...[...text.matchAll(/"news":"(\d+) /g)].map(([, n]) => Number(n)));
  await expect.poll(latest).toBeGreaterThanOrEqual(before);
  unread.destroy();
  page.end();
}, 30_000);

it('once the source has closed, a server closes, with streams that are opened later or not read', async () => {
  const source = await ledSource('closed');
  using handler = dashboard(source);
  const server = createServer(handler);
  await using served = await serve(server);
  const unread = await openUnread(served.address);
  await nextState(served.address, () => true);
  await source.close();
  const later = await fetch(`${served.address}?events`);
  expect(await later.text(), 'the last state, and the end').toMatch(/^data: .*"ok":false.*\n\n$/);
  const { page, snapshots } = floodingPage();
  const full = createServer(page);
  await using flooded = await serve(full);
  const stuck = await openUnread(flooded.address);
  using _reader = readOn(flooded.address);
  await expect.poll(snapshots).toBeGreaterThan(300);
  page.end();
  for (const each of [server, full])
    await new Promise<void>((resolve, reject) =>
      each.close((error) => (error ? reject(error) : resolve())),
    );
  unread.destroy();
  stuck.destroy();
}, 30_000);

it('serves streams over HTTP/2, and ends them', async () => {
  await using source = await ledSource('http2');
  using handler = dashboard(source);
  const server = createHttp2Server(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ':path': '/?events' });
  const ended = new Promise((resolve) => stream.once('end', resolve));
  const [first] = await once(stream.setEncoding('utf8'), 'data');
  expect(first).toContain('"group":"http2"');
  stream.resume();
  await source.close();
  await ended;
  client.close();
  await new Promise((resolve) => server.close(resolve));
});
