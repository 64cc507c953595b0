import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { hasLocalEtcd, type LocalEtcd, localEtcd } from '@leadership/tools/etcd';
import { changed } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRows } from './support/open-rows.ts';

const hourMs = 3_600_000;

describe.runIf(await hasLocalEtcd())('the first reading of a group (M6)', () => {
  let cluster: LocalEtcd;
  const group = randomUUID();
  beforeAll(async () => {
    cluster = await localEtcd();
    await using rows = openRows({ endpoints: cluster.endpoints, group });
    await changed(rows, 'a', null, '1');
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Returns whether a new reader doubts a server that is younger than that. */
  async function doubts(doubtMs: number, of = group): Promise<boolean> {
    await using open = openRows({ endpoints: cluster.endpoints, group: of, doubtMs });
    const request = { changes: [], since: undefined };
    const { isRestarted = false } = await open.rows.exchange(request, AbortSignal.timeout(10_000));
    return isRestarted;
  }

  it('is doubted on a server that started a moment ago, which may have been restored', async () => {
    expect(await doubts(hourMs)).toBe(true);
    await eventually('it is trusted', async () => !(await doubts(1000)));
    await cluster.servers[0]?.stop();
    await cluster.servers[0]?.start();
    expect(await doubts(hourMs)).toBe(true);
  });

  it('is not doubted for a new group, which has nothing to lose', async () => {
    expect(await doubts(hourMs, randomUUID())).toBe(false);
  });
});
