import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { freePorts } from '../../src/faults.ts';

test('free ports are distinct, unused, and outside the range of outgoing connections', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) {
    // Linux uses ports from 32768 up for outgoing connections; other systems use higher ones.
    expect(port).toBeLessThan(32_768);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect((server.address() as AddressInfo).port).toBe(port);
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a port in use is not a free port', async () => {
  const servers = [];
  for (const port of await freePorts(3)) servers.push(createServer().listen(port, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const taken = servers.map((server) => (server.address() as AddressInfo).port);
  // freePorts chooses from twelve thousand at random; the mock offers the ports in use and one
  // more.
  const choices = [...taken, 31_999].map((port) => (port - 20_000 + 0.5) / 12_000);
  const dice = vi.spyOn(Math, 'random').mockImplementation(() => choices.shift() ?? 0);
  try {
    expect(await freePorts(1)).toEqual([31_999]);
  } finally {
    dice.mockRestore();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
});
