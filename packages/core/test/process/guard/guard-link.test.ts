import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GuardLink } from '../../../src/process/guard/guard-link.ts';
import { goodbye, parseHello } from '../../../src/process/guard/hello.ts';
import { probeAddress } from '../../../src/process/guard/probe.ts';

let folder: string;
let guard: Server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guard-link-'));
  guard = createServer().listen(join(folder, 'guard.sock'));
  await once(guard, 'listening');
});
afterEach(async () => {
  guard.close();
  await rm(folder, { recursive: true });
});

/** Connects a member to the guard. Resolves with the guard's end of the connection, and its address. */
async function connected(): Promise<{ link: GuardLink; socket: Socket; address: string }> {
  const accepted = once(guard, 'connection');
  const link = new GuardLink({
    path: join(folder, 'guard.sock'),
    hello: { group: 'g', member: 'm', incarnation: 'i' },
    checkMs: 60_000,
    exposed: () => undefined,
    unguarded: () => undefined,
  });
  const [socket]: Socket[] = await accepted;
  if (socket === undefined) throw new Error('no connection');
  const [hello] = await once(socket, 'data');
  return { link, socket, address: join(folder, parseHello(String(hello))?.address ?? '') };
}

describe.skipIf(process.platform === 'win32')('a member that leaves its guard (L14)', () => {
  test('says goodbye, and closes its own socket', async () => {
    const { link, socket, address } = await connected();
    const said = text(socket);
    await link.leave();
    expect(await said).toBe(goodbye);
    expect(await probeAddress(address)).toBe('missing');
  });

  test('keeps its own socket if no guard can read a goodbye', async () => {
    const { link, socket, address } = await connected();
    const probed = once(guard, 'connection');
    socket.destroy();
    // It has noticed the end, and probes whether the guard lives.
    await probed;
    await link.leave();
    expect(await probeAddress(address)).toBe('accepts');
  });

  test('closes its own socket if its guard has ended', async () => {
    const { link, socket, address } = await connected();
    guard.close();
    socket.end(goodbye);
    await once(socket, 'close');
    await link.leave();
    expect(await probeAddress(address)).toBe('missing');
  });
});
