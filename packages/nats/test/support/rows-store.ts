import { randomUUID } from 'node:crypto';
import type { Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import { type LocalNats, localNats } from '@leadership/tools/nats';
import { type Administrator, administrator, bucketName } from './administrator.ts';
import { hindered } from './hindered.ts';
import { openRows } from './open-rows.ts';

/** The store under test, and its server. */
export interface NatsStore extends RowsStore {
  readonly nats: LocalNats;
  readonly admin: Administrator;
}

/** A server, whose replies each member can lose. */
export async function openStore(): Promise<NatsStore> {
  const nats = await localNats();
  const servers = nats.addresses;
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
    nats,
    admin,
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
