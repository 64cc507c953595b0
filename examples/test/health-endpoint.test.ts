import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { memoryGroup } from '@leadership/core/memory';
import { expect, it } from 'vitest';
import { healthEndpoint } from '../src/health-endpoint.ts';

it('responds with 200, and with 503 and the trouble while work fails', async () => {
  await using source = memoryGroup(crypto.randomUUID()).join({ partitions: 1, log: false });
  await source.ready();
  const server = healthEndpoint(source).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}`);
    const { troubles } = (await response.json()) as { readonly troubles: readonly object[] };
    return [response.status, troubles];
  };
  try {
    expect(await ask()).toEqual([200, []]);
    const stop = new AbortController();
    const work = () => Promise.reject(new Error('no paper'));
    const leading = source.role('report').lead(work, { signal: stop.signal });
    const trouble = { code: 'work-failed', message: expect.stringContaining('no paper') };
    await expect.poll(ask).toEqual([503, [expect.objectContaining(trouble)]]);
    stop.abort();
    await leading;
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
