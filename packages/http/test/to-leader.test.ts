import { Agent, type RequestListener, request as rawRequest } from 'node:http';
import { connect } from 'node:net';
import type { Role } from '@leadership/core';
import { describe, expect, it } from 'vitest';
import { proxyToLeader, redirectToLeader } from '../src/index.ts';
import { frameworks } from './support/frameworks.ts';
import { type Member, serve, twoMembers } from './support/two-members.ts';

const order = (member: Member, init: RequestInit = {}): Promise<Response> =>
  fetch(`${member.url}/api/orders?page=2`, {
    method: 'POST',
    body: 'tea',
    headers: { 'content-type': 'text/plain' },
    ...init,
  });

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends the bytes of a request. Resolves with those of the answer, once the server has hung up. */
function exchange(url: string, lines: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${[...lines, '', body].join('\r\n')}`);
    });
    socket.setEncoding('latin1').on('data', (part: string) => {
      answer += part;
      socket.end();
    });
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}

/** Sends the second half of a body after the answer, over a connection that is kept. */
function slowly(url: string): Promise<{ readonly status: unknown; readonly isReused: boolean }> {
  return new Promise((resolve, reject) => {
    const request = rawRequest(url, { method: 'POST', agent }, (response) => {
      response.resume().once('end', () => request.end('tea'));
      const result = { status: response.statusCode, isReused: request.reusedSocket };
      // The agent takes the connection back after this event.
      request.once('close', () => setImmediate(resolve, result));
    });
    request.once('error', reject).write('tea');
  });
}

/** Sends a request whose target `fetch` would change. */
function location(url: string, path: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = rawRequest({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.headers.location);
    });
    request.on('error', reject).end();
  });
}

describe.each(frameworks)('in %s', (_name, framework) => {
  it('the leader handles a request, and the other member redirects it', async () => {
    await using members = await twoMembers(framework('redirect'));
    const { a, b } = members;
    expect(await (await order(a)).text()).toBe('a: POST /api/orders?page=2 tea');
    const { status, headers } = await order(b, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([307, `${a.url}/api/orders?page=2`]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await (await order(b)).text()).toBe('a: POST /api/orders?page=2 tea');
    expect(b.received).toEqual([]);
  });

  it('the other member passes a request on, with its body and path', async () => {
    await using members = await twoMembers(framework('proxy'));
    const { group, a, b } = members;
    expect(await (await order(b)).text()).toBe('a: POST /api/orders?page=2 tea');
    await group.elect('b', 0);
    await expect.poll(() => a.role.leader()?.member).toBe('b');
    expect(await (await order(a)).text()).toBe('b: POST /api/orders?page=2 tea');
    expect([a.received, b.received]).toEqual([['tea'], ['tea']]);
  });

  it.each(['content-length', 'Content-Length, close', 'transfer-encoding', 'host'])(
    'the body of a request never becomes a second one: Connection: %s',
    async (connection) => {
      await using members = await twoMembers(framework('proxy'));
      const { a, b } = members;
      const second = [
        ...['POST /api/orders HTTP/1.1', 'Host: evil', 'Content-Type: text/plain'],
        ...['Content-Length: 4', '', 'evil'],
      ].join('\r\n');
      const isChunked = connection === 'transfer-encoding';
      const size = second.length;
      const answer = await exchange(
        b.url,
        [
          ...['DELETE /api/orders HTTP/1.1', 'Host: b', `Connection: ${connection}`],
          isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`,
        ],
        isChunked ? `${size.toString(16)}\r\n${second}\r\n0\r\n\r\n` : second,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 (200|404) /);
      // The connection to the leader serves this request after all that it carried before.
      await order(b);
      expect(a.received).not.toContain('evil');
      expect(a.received.at(-1)).toBe('tea');
    },
  );

  it.each(['redirect', 'proxy'] as const)('answers HTTP/1.0 without a host: %s', async (via) => {
    await using members = await twoMembers(framework(via));
    const { a, b } = members;
    const request = ['POST /api/orders HTTP/1.0', 'Content-Type: text/plain', 'Content-Length: 3'];
    expect(await exchange(b.url, request, 'tea')).toMatch(
      via === 'proxy' ? /^HTTP\/1\.1 200 .*a: POST \/api\/orders tea$/s : /^HTTP\/1\.1 307 /,
    );
    expect(await exchange(a.url, request, 'tea')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['redirect', 'proxy'] as const)('asks clients to wait for a leader: %s', async (via) => {
    await using members = await twoMembers(framework(via));
    const { group, a, b } = members;
    await group.revoke('a', 0);
    await expect.poll(() => b.role.leader()).toBeUndefined();
    for (const member of [a, b]) {
      const { status, headers } = await order(member);
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    }
  });
});

describe('a redirect', () => {
  it('never leads to a host that the request names', async () => {
    await using members = await twoMembers(({ role }) => {
      const toLeader = redirectToLeader(role, { urlOf: () => 'http://10.0.0.7:8080/app/' });
      return (request, response) => toLeader(request, response, () => response.end());
    });
    const { url } = members.b;
    expect(await location(url, '//evil.example/x')).toBe(
      'http://10.0.0.7:8080/app//evil.example/x',
    );
    expect(await location(url, 'http://evil.example/x?y')).toBe('http://10.0.0.7:8080/app/x?y');
    expect(await location(url, '/@evil.example')).toBe('http://10.0.0.7:8080/app/@evil.example');
    expect(await location(url, '*')).toBe('http://10.0.0.7:8080/app/');
  });

  it('needs an address of the leader', async () => {
    for (const address of [undefined, 'file:///etc/passwd', 'nonsense']) {
      await using members = await twoMembers(({ role }) => {
        const toLeader = redirectToLeader(role, { urlOf: () => address });
        return (request, response) => toLeader(request, response, () => response.end());
      });
      const response = await fetch(members.b.url);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('the leader "a" has no HTTP address');
    }
  });
});

describe('a proxy', () => {
  const proxied = ({ role }: { readonly role: Role }): RequestListener => {
    const toLeader = proxyToLeader(role);
    return (request, response) => toLeader(request, response, () => response.end());
  };

  it('does not send a request in circles, if the address of the leader is that of all members', async () => {
    let all = '';
    await using members = await twoMembers(({ role }) => {
      const toLeader = proxyToLeader(role, { urlOf: () => all });
      return (request, response) => toLeader(request, response, () => response.end());
    });
    all = members.b.url;
    const response = await fetch(all);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.text()).toContain('the leader has changed');
  });

  it('asks to repeat a request that did not reach the leader', async () => {
    await using members = await twoMembers(proxied);
    const { a, b } = members;
    const gone = await serve(() => undefined);
    await gone[Symbol.asyncDispose]();
    const proxy = proxyToLeader(b.role, { urlOf: () => gone.url });
    await using server = await serve((request, response) =>
      proxy(request, response, () => undefined),
    );
    const response = await fetch(server.url, {
      method: 'POST',
      body: 'tea'.repeat(1e6),
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.text()).toContain('ECONNREFUSED');
    expect(a.role.isLeading()).toBe(true);
    // A client that is still sending keeps its connection.
    expect(await slowly(server.url)).toEqual({ status: 503, isReused: false });
    expect(await slowly(server.url)).toEqual({ status: 503, isReused: true });
  });

  it('tells a silent leader from one that hangs up', async () => {
    await using members = await twoMembers(proxied);
    await using silent = await serve(() => undefined);
    await using rude = await serve((request) => void request.socket.destroy());
    for (const [upstream, timeoutMs, status] of [
      [silent.url, 300, 504],
      [rude.url, 60_000, 502],
    ] as const) {
      const proxy = proxyToLeader(members.b.role, { urlOf: () => upstream, timeoutMs });
      await using server = await serve((request, response) =>
        proxy(request, response, () => undefined),
      );
      expect((await fetch(server.url)).status).toBe(status);
    }
  });

  it('cuts an answer that the leader does not complete', async () => {
    await using members = await twoMembers(proxied);
    await using half = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => request.socket.destroy());
    });
    const proxy = proxyToLeader(members.b.role, { urlOf: () => half.url });
    await using server = await serve((request, response) =>
      proxy(request, response, () => undefined),
    );
    const response = await fetch(server.url);
    await expect(response.text()).rejects.toThrow();
  });

  it('ends the request to the leader when the client leaves', async () => {
    await using members = await twoMembers(proxied);
    let isLeft = false;
    await using slow = await serve((_request, response) => {
      response.write('first');
      response.on('close', () => {
        isLeft = true;
      });
    });
    const proxy = proxyToLeader(members.b.role, { urlOf: () => slow.url });
    await using server = await serve((request, response) =>
      proxy(request, response, () => undefined),
    );
    const leave = new AbortController();
    await fetch(server.url, { signal: leave.signal });
    leave.abort();
    await expect.poll(() => isLeft).toBe(true);
  });

  it('passes on a body in chunks, the address of the client, and no header of the connection', async () => {
    await using members = await twoMembers(proxied);
    await using leader = await serve((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => response.end(JSON.stringify({ headers: request.headers, body })));
    });
    const proxy = proxyToLeader(members.b.role, { urlOf: () => leader.url });
    await using server = await serve((request, response) =>
      proxy(request, response, () => undefined),
    );
    const { hostname, port } = new URL(server.url);
    const text = await new Promise<string>((resolve, reject) => {
      const request = rawRequest(
        {
          hostname,
          port,
          method: 'DELETE',
          headers: {
            'transfer-encoding': 'chunked',
            connection: 'x-mine',
            'x-mine': '1',
            'x-kept': '2',
          },
        },
        (response) => {
          let all = '';
          response.on('data', (part) => {
            all += part;
          });
          response.on('end', () => resolve(all));
        },
      );
      request.on('error', reject);
      request.write('one ');
      request.end('two');
    });
    const { headers, body } = JSON.parse(text);
    expect(body).toBe('one two');
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': `${hostname}:${port}`,
      'x-kept': '2',
    });
    expect(headers).not.toHaveProperty('x-mine');
  });

  it('reports a body that was read before', async () => {
    await using members = await twoMembers(proxied);
    const proxy = proxyToLeader(members.b.role);
    await using server = await serve(async (request, response) => {
      await request.resume().toArray();
      proxy(request, response, (error) => response.end(String(error)));
    });
    const response = await fetch(server.url, { method: 'POST', body: 'tea' });
    expect(await response.text()).toContain('mount proxyToLeader before parsers');
  });
});

it('a hand-over waits for the responses of the leader', async () => {
  let answer: (() => void) | undefined;
  await using members = await twoMembers(({ role }) => {
    const toLeader = redirectToLeader(role);
    return (request, response) =>
      toLeader(request, response, () => {
        answer = () => response.end('done');
      });
  });
  const { a, group } = members;
  const response = fetch(a.url);
  const order: string[] = [];
  await expect.poll(() => answer).toBeDefined();
  const elected = group.elect('b', 0).then(() => order.push('b leads'));
  // A request that arrives meanwhile is not handled here.
  await expect.poll(async () => (await fetch(a.url)).status).toBe(503);
  order.push('answered');
  answer?.();
  expect(await (await response).text()).toBe('done');
  await elected;
  expect(order).toEqual(['answered', 'b leads']);
});
