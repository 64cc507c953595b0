import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLeadership } from '@leadership/core';
import { freePorts } from '@leadership/testkit/faults';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllEnvs());

test.runIf(process.platform === 'linux')(
  'a member notifies a guard that its backend cannot release a lease for it',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'leadership-gossip-guard-'));
    const path = join(directory, 'guard.sock');
    const guard = createServer().listen(path);
    vi.stubEnv('LEADERSHIP_GUARD', path);
    const [port = 0] = await freePorts(1);
    const member = `127.0.0.1:${port}`;
    const source = await openLeadership(`gossip://${member}/billing?member=${member}`, {
      log: false,
    });
    const [socket] = (await once(guard, 'connection')) as [Socket];
    const [hello] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
    expect(JSON.parse(hello)).toMatchObject({
      member,
      problem: expect.stringContaining('its backend does not support a guard'),
    });
    expect(source.guarantees.assumes).not.toContain('death-is-final');
    await source.close();
    await new Promise((resolve) => guard.close(resolve));
    await rm(directory, { recursive: true, force: true });
  },
);
