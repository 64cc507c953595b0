import { randomUUID } from 'node:crypto';
import type { Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { eventually } from '@leadership/testkit/adapter';
import { type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import { localNats, type NatsSettings } from '@leadership/tools/nats';
import { listed, prepared } from '@leadership/tools/rows';
import { administrator, bucketName } from './administrator.ts';
import { hindered } from './hindered.ts';
import { openRows } from './open-rows.ts';

/** Creates the bucket, and waits until members can use it by this server: routes take a moment. */
async function isServing(address: string): Promise<void> {
  await using member = openRows({ servers: [address] });
  await eventually('the server knows the bucket', async () => {
    const isPrepared = prepared(member).then(() => listed(member));
    return isPrepared.then(
      () => true,
      () => false,
    );
  });
}

/** Servers, whose replies each member can lose. Each member begins at any of them. */
export async function openStore(settings: NatsSettings = {}): Promise<RowsStore> {
  const nats = await localNats(settings);
  const servers = nats.addresses;
  for (const address of servers) await isServing(address);
  const admin = await administrator({ servers: [...servers] });
  const ways = new Map<Rows, StoreProxy>();
  const open = (group: string, bucket: string): Rows => {
    const way = storeProxy();
    const { rows } = openRows({ servers, group, bucket }, (inner) => hindered(inner, way));
    ways.set(rows, way);
    return rows;
  };
  return {
    name: 'nats',
    cannot: {
      'open-transactions': 'a change is one message',
      'locked-rows': 'a change is one message',
      'promoted-replica': 'a server without the newest changes does not acknowledge a reading',
    },
    openRows: (group) => open(group, bucketName),
    notifies: true,
    holdsNul: true,
    lags: true,
    put: (group, name, text) => admin.put(group, name, text),
    loseReplies(rows) {
      const way = ways.get(rows);
      if (way === undefined) throw new Error('unknown rows');
      return way.inject('lost-replies');
    },
    async restore(during) {
      const stream = `KV_${bucketName}`;
      const { config } = await admin.call(`STREAM.INFO.${stream}`);
      const kv = await admin.bucket();
      const kept: [string, string][] = [];
      for await (const key of await kv.keys()) {
        const entry = await kv.get(key);
        if (entry) kept.push([key, entry.string()]);
      }
      await during();
      await admin.call(`STREAM.DELETE.${stream}`);
      await admin.call(`STREAM.CREATE.${stream}`, config as object);
      for (const [key, text] of kept) await kv.put(key, text);
    },
    elsewhere() {
      const bucket = `elsewhere-${randomUUID()}`;
      return (group) => open(group, bucket);
    },
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]();
      await nats[Symbol.asyncDispose]();
    },
  };
}
