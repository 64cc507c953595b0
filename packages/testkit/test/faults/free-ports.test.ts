import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { expectNoResourcesLeft, freePorts, resourcesInUse } from '../../src/faults.ts';

/** Less and more than a block. */
const [few, many] = [40, 60];

test('no two processes get the same port, and the reservation does not keep a process alive', async () => {
  const before = resourcesInUse();
  // Both would begin at the same block.
  const dice = vi.spyOn(Math, 'random').mockReturnValue(0);
  try {
    // A process has a copy of the module, as each of these imports.
    const module = new URL('../../src/faults/free-ports.ts', import.meta.url).href;
    const copies: readonly { freePorts: typeof freePorts }[] = await Promise.all([
      import(`${module}?a`),
      import(`${module}?b`),
    ]);
    const ports = await Promise.all(copies.map((copy) => copy.freePorts(few)));
    expect(new Set(ports.flat()).size).toBe(2 * few);
    await expectNoResourcesLeft(before);
  } finally {
    dice.mockRestore();
  }
});

test('free ports are distinct, unused, and outside the range of outgoing connections', async () => {
  const ports = await freePorts(many);
  expect(new Set(ports).size).toBe(many);
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
  // More than all blocks of a process have: the ports of the first calls come again.
  const rounds = 6;
  const [used = 0] = await freePorts(1);
  const server = createServer().listen(used, '127.0.0.1');
  await once(server, 'listening');
  try {
    const later = [];
    for (let round = 0; round < rounds; round += 1) later.push(...(await freePorts(many)));
    expect(later).not.toContain(used);
    expect(new Set(later).size).toBeLessThan(later.length);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
