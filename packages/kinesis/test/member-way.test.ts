import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemberWay } from './support/member-way.ts';

describe('an agent whose connections can be cut', () => {
  let server: Server;
  let arrived = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      arrived += 1;
      response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = (agent: MemberWay): Promise<string> =>
    new Promise((resolve) => {
      const { port } = server.address() as AddressInfo;
      const asking = request({ agent, host: '127.0.0.1', port, method: 'POST' }, (response) => {
        response.resume().once('end', () => resolve('answered'));
      });
      asking.once('error', () => resolve('failed')).end('renewal');
    });
  /**
   * An application makes requests at any point of the event loop: in a timer, or when a response
   * arrives.
   */
  const moments: readonly (() => Promise<unknown>)[] = [
    () => new Promise((resolve) => setTimeout(resolve, 1)),
    () => new Promise((resolve) => setImmediate(resolve)),
    () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  ];

  it('fails each request while it is cut, at any point of the event loop, and none afterwards', async () => {
    using way = disposable(new MemberWay());
    expect(await ask(way.agent)).toBe('answered');
    const cut = way.agent.cut();
    for (const moment of moments) {
      await moment();
      const before = arrived;
      expect(await Promise.all(Array.from({ length: 20 }, () => ask(way.agent)))).toEqual(
        Array(20).fill('failed'),
      );
      await ask(way.other);
      expect(arrived).toBe(before + 1);
    }
    cut[Symbol.dispose]();
    expect(await ask(way.agent)).toBe('answered');
  });

  it('also fails requests whose connection is being opened', async () => {
    using way = disposable(new MemberWay());
    for (let round = 0; round < 20; round += 1) {
      const before = arrived;
      const asking = Array.from({ length: 5 }, () => ask(way.agent));
      // Now the connections are being opened, and none is open yet.
      await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)));
      const cut = way.agent.cut();
      expect(await Promise.all(asking)).toEqual(Array(5).fill('failed'));
      await ask(way.other);
      expect(arrived).toBe(before + 1);
      cut[Symbol.dispose]();
    }
  });
});

function disposable(
  agent: MemberWay,
): Disposable & { readonly agent: MemberWay; readonly other: MemberWay } {
  const other = new MemberWay();
  return {
    agent,
    other,
    [Symbol.dispose]() {
      agent.destroy();
      other.destroy();
    },
  };
}
