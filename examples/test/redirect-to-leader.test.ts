import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { memoryGroup } from '@leadership/core/memory';
import { expect, it } from 'vitest';
import { gateway, observe } from '../src/redirect-to-leader.ts';

it('redirects to the leader, never leads itself, and responds with 503 without a leader', async () => {
  const name = crypto.randomUUID();
  const group = memoryGroup(name);
  await using observer = await observe(`memory:${name}`);
  const server = gateway(observer, 'api').listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/orders?page=2`, {
      redirect: 'manual',
    });
    return [status, headers.get('location')];
  };
  try {
    expect(await ask()).toEqual([503, null]);
    await using _a = group.join({ member: 'a', metadata: { url: 'http://10.0.0.7:8080' } });
    await using _b = group.join({ member: 'b', metadata: { url: 'http://10.0.0.8:8080' } });
    const { partition } = observer.role('api');
    await group.elect('b', partition);
    await expect.poll(ask).toEqual([307, 'http://10.0.0.8:8080/orders?page=2']);
    await group.elect('a', partition);
    await expect.poll(ask).toEqual([307, 'http://10.0.0.7:8080/orders?page=2']);
    expect(observer.held().size).toBe(0);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
