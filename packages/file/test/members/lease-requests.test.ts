import { readdir, rename, writeFile } from 'node:fs/promises';
import type { LeaseRequest } from '@leadership/core/internal/lease';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeaseRequests } from '../../src/members/lease-requests.ts';
import { storeAt } from '../../src/store.ts';
import { tempDirectory } from '../support/temp-directory.ts';

function openLeaseRequests(directory: string, thresholdMs = 600_000) {
  const host = recordingHost('m');
  const store = storeAt({ directory, group: 'g', pollMs: 10, thresholdMs }, host);
  const leaseRequests = fileLeaseRequests(store);
  const stop = new AbortController();
  const received: LeaseRequest[] = [];
  let sent = 0;
  const follow = async (): Promise<void> => {
    for await (const { receivedAt, ...request } of leaseRequests.received(stop.signal))
      if (receivedAt <= performance.now()) received.push(request);
  };
  const followed = follow();
  return {
    received,
    directory: store.layout.leaseRequests,
    async send(partition: number): Promise<LeaseRequest> {
      const request = {
        partition,
        id: `m/${host.incarnation}/${++sent}`,
        incarnation: host.incarnation,
        member: 'm',
        thresholdMs,
      };
      await leaseRequests.send(request, stop.signal);
      return request;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await followed;
      await leaseRequests.close();
    },
  };
}

describe('lease requests', () => {
  it('reach the other members by the watch, with each repetition, but not their own member (L7)', async () => {
    await using home = await tempDirectory();
    await using requester = openLeaseRequests(home.path);
    await using holder = openLeaseRequests(home.path);
    const first = await requester.send(0);
    await eventually('the first request is received', () => holder.received.length === 1);
    const second = await requester.send(0);
    const third = await requester.send(7);
    await eventually('all requests are received', () => holder.received.length === 3);
    expect(holder.received).toEqual([first, second, third]);
    expect(requester.received).toEqual([]);
  });

  it('reach the other members by the watch after the directory was moved away and recreated by another member', async () => {
    await using home = await tempDirectory();
    await using requester = openLeaseRequests(home.path);
    await using holder = openLeaseRequests(home.path);
    await requester.send(0);
    await eventually('the first request is received', () => holder.received.length === 1);
    await rename(holder.directory, `${home.path}/gone`);
    await requester.send(0);
    await eventually('the second request is received', () => holder.received.length === 2);
    await requester.send(0);
    await eventually('the third request is received', () => holder.received.length === 3);
  });

  it('are removed once their member stops asking, and when it closes', async () => {
    await using home = await tempDirectory();
    await using requester = openLeaseRequests(home.path, 50);
    await requester.send(0);
    await eventually(
      'the directory is empty',
      async () => (await readdir(requester.directory)).length === 0,
    );
    const other = openLeaseRequests(home.path);
    await other.send(1);
    expect(await readdir(requester.directory)).toHaveLength(1);
    await other[Symbol.asyncDispose]();
    expect(await readdir(requester.directory)).toEqual([]);
  });

  it('of a crashed member are removed by others', async () => {
    await using home = await tempDirectory();
    await using holder = openLeaseRequests(home.path, 50);
    await eventually('the directory is created', () =>
      readdir(holder.directory).catch(() => false as const),
    );
    const request = { partition: 3, id: 'x/1', incarnation: 'x', member: 'x', thresholdMs: 50 };
    await writeFile(`${holder.directory}/3.x.json`, JSON.stringify(request));
    await writeFile(`${holder.directory}/garbage.json`, '[');
    await eventually('the request is received', () => holder.received.length === 1);
    await eventually(
      'the directory is empty',
      async () => (await readdir(holder.directory)).length === 0,
    );
    expect(holder.received).toEqual([request]);
  });
});
