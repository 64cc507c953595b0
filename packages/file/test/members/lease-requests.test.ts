import { readdir, rename, writeFile } from 'node:fs/promises';
import type { LeaseRequest } from '@leadership/core/adapter';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeaseRequests } from '../../src/members/lease-requests.ts';
import { storeAt } from '../../src/store.ts';
import { tempDirectory } from '../support/temp-directory.ts';

function openWants(directory: string, thresholdMs = 600_000) {
  const host = recordingHost('m');
  const store = storeAt({ directory, group: 'g', pollMs: 10, thresholdMs }, host);
  const wants = fileLeaseRequests(store);
  const stop = new AbortController();
  const heard: LeaseRequest[] = [];
  let asks = 0;
  const follow = async (): Promise<void> => {
    for await (const { receivedAt, ...want } of wants.received(stop.signal))
      if (receivedAt <= performance.now()) heard.push(want);
  };
  const followed = follow();
  return {
    heard,
    directory: store.layout.wants,
    async ask(partition: number): Promise<LeaseRequest> {
      const want = {
        partition,
        id: `m/${host.incarnation}/${++asks}`,
        incarnation: host.incarnation,
        member: 'm',
        thresholdMs,
      };
      await wants.send(want, stop.signal);
      return want;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await followed;
      await wants.close();
    },
  };
}

describe('lease requests', () => {
  it('reach the other members by the watch, with each repetition, but not their own member (L7)', async () => {
    await using home = await tempDirectory();
    await using asker = openWants(home.path);
    await using holder = openWants(home.path);
    const first = await asker.ask(0);
    await eventually('the first request is received', () => holder.heard.length === 1);
    const second = await asker.ask(0);
    const third = await asker.ask(7);
    await eventually('all requests are received', () => holder.heard.length === 3);
    expect(holder.heard).toEqual([first, second, third]);
    expect(asker.heard).toEqual([]);
  });

  it('reach the other members by the watch after the directory was moved away and recreated by another member', async () => {
    await using home = await tempDirectory();
    await using asker = openWants(home.path);
    await using holder = openWants(home.path);
    await asker.ask(0);
    await eventually('the first request is received', () => holder.heard.length === 1);
    await rename(holder.directory, `${home.path}/gone`);
    await asker.ask(0);
    await eventually('the second request is received', () => holder.heard.length === 2);
    await asker.ask(0);
    await eventually('the third request is received', () => holder.heard.length === 3);
  });

  it('are removed once their member stops asking, and when it closes', async () => {
    await using home = await tempDirectory();
    await using asker = openWants(home.path, 50);
    await asker.ask(0);
    await eventually(
      'the directory is empty',
      async () => (await readdir(asker.directory)).length === 0,
    );
    const other = openWants(home.path);
    await other.ask(1);
    expect(await readdir(asker.directory)).toHaveLength(1);
    await other[Symbol.asyncDispose]();
    expect(await readdir(asker.directory)).toEqual([]);
  });

  it('of a crashed member are removed by others', async () => {
    await using home = await tempDirectory();
    await using holder = openWants(home.path, 50);
    await eventually('the directory is created', () =>
      readdir(holder.directory).catch(() => false as const),
    );
    const want = { partition: 3, id: 'x/1', incarnation: 'x', member: 'x', thresholdMs: 50 };
    await writeFile(`${holder.directory}/3.x.json`, JSON.stringify(want));
    await writeFile(`${holder.directory}/garbage.json`, '[');
    await eventually('the request is received', () => holder.heard.length === 1);
    await eventually(
      'the directory is empty',
      async () => (await readdir(holder.directory)).length === 0,
    );
    expect(holder.heard).toEqual([want]);
  });
});
