import { memoryGroup } from '@leadership/core/memory';
import { expect, it } from 'vitest';
import { liveness, readiness } from '../src/index.ts';
import { frameworks } from './support/frameworks.ts';
import { serve, twoMembers } from './support/two-members.ts';

it.each(frameworks.filter(([name]) => name !== 'node:http'))(
  'probes are answered by each member in %s',
  async (_name, framework) => {
    await using members = await twoMembers(framework('redirect'));
    const { b } = members;
    const probe = async (path: string) =>
      (await fetch(`${b.url}${path}`, { redirect: 'manual' })).status;
    expect([await probe('/livez'), await probe('/readyz')]).toEqual([200, 200]);
    await b.source.close();
    expect([await probe('/livez'), await probe('/readyz')]).toEqual([503, 503]);
  },
);

it('readiness shows the troubles without stacks, and liveness does not count them', async () => {
  await using source = memoryGroup(crypto.randomUUID()).join({ partitions: 1, log: false });
  await source.ready();
  await using ready = await serve(readiness(source));
  await using own = await serve(
    readiness(source, { isReady: ({ troubles }) => troubles.length > 0 }),
  );
  await using live = await serve(liveness(source));
  const stop = new AbortController();
  const leading = source
    .role('report')
    .lead(() => Promise.reject(new TypeError('no paper', { cause: 'secret' })), {
      signal: stop.signal,
    });
  const health = async () => (await fetch(ready.url)).json();
  const cause = { name: 'TypeError', message: 'no paper' };
  await expect
    .poll(health)
    .toEqual(
      expect.objectContaining({ ok: false, troubles: [expect.objectContaining({ cause })] }),
    );
  expect(await health()).toMatchObject({ troubles: [{ code: 'work-failed' }] });
  expect((await fetch(ready.url)).status).toBe(503);
  expect((await fetch(own.url)).status).toBe(200);
  expect((await fetch(live.url)).status).toBe(200);
  stop.abort();
  await leading;
});

it('liveness fails for a member that was refused', async () => {
  const name = crypto.randomUUID();
  await using first = memoryGroup(name).join({ partitions: 1, log: false });
  await first.ready();
  await using refused = memoryGroup(name).join({ partitions: 2, log: false });
  await using live = await serve(liveness(refused));
  const answer = async () => {
    const response = await fetch(live.url);
    return [response.status, await response.json()];
  };
  await expect
    .poll(answer)
    .toEqual([503, { ok: false, message: expect.stringContaining('partitions') }]);
});
