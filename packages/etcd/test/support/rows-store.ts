import { monotonicClock, type Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { recordingHost } from '@leadership/testkit/adapter';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { type LocalEtcd, localEtcd, rolledBack } from '@leadership/tools/etcd';
import { httpGateway } from '../../src/gateway.ts';
import { etcdRows } from '../../src/rows.ts';
import { type Admin, administrator } from './admin.ts';
import { baseOf } from './editable-rows.ts';

const thresholdMs = 3000;
/** The servers of these tests have just been started, and no change is missing. */
const doubtMs = 0;

/** The store under test, and what only tests of etcd need. */
export interface EtcdStore extends RowsStore {
  readonly admin: Admin;
  /** Keeps a copy of the disk, calls the function, and then goes on with the copy. */
  rollBack(during: () => Promise<void>): Promise<void>;
}

/** Opens rows as a member does that starts at the first of the servers. */
export function openRows(endpoints: readonly string[], group: string): Rows {
  const gateway = httpGateway(
    { endpoints, thresholdMs },
    { clock: monotonicClock, random: () => 0 },
  );
  const place = { group, prefix: 'leadership/', thresholdMs, doubtMs, notifications: true };
  return etcdRows(gateway, place, recordingHost('m'));
}

/** A server that members reach through proxies, which follow it when another one takes its place. */
export async function openStore(): Promise<EtcdStore> {
  const clusters: (LocalEtcd & { readonly admin: Admin })[] = [];
  const target = { port: 0 };
  const ways = new Map<Rows, TcpProxy>();
  const begin = async (): Promise<Admin> => {
    const cluster = await localEtcd();
    const admin = administrator({ endpoints: cluster.endpoints });
    clusters.push({ ...cluster, admin });
    return admin;
  };
  const current = () => {
    const cluster = clusters.at(-1);
    const server = cluster?.servers[0];
    if (cluster === undefined || server === undefined) throw new Error('no server');
    return { ...cluster, server };
  };
  await begin();
  target.port = current().server.port;
  return {
    name: 'etcd',
    get admin() {
      return current().admin;
    },
    cannot: {
      'lagging-reads': 'readings are of the whole cluster',
      'open-transactions': 'a transaction is one request',
      'locked-rows': 'a transaction is one request',
      'promoted-replica': 'a server without the newest changes does not answer',
      'missing-store': 'keys need no place',
    },
    async openRows(group) {
      const way = await tcpProxy(target);
      const rows = openRows([`127.0.0.1:${way.port}`], group);
      ways.set(rows, way);
      return rows;
    },
    notifies: true,
    holdsNul: true,
    async put(group, name, text) {
      const key = `${baseOf(group)}${name}`;
      if (text === null) await current().admin.delete(key);
      else await current().admin.put(key, text);
    },
    loseReplies(rows) {
      const way = ways.get(rows);
      if (way === undefined) throw new Error('unknown rows');
      return way.cutOneWay('to-client');
    },
    async restore(during) {
      const before = current();
      const kept = await before.admin.entries('leadership/');
      await during();
      await before.server.kill();
      const admin = await begin();
      for (const [key, text] of kept) await admin.put(key, text);
      // A restored cluster may have any revision.
      const other = before.endpoints.join();
      for (let count = 0; count < 1000; count += 1) await admin.put(other, String(count));
      target.port = current().server.port;
      for (const way of ways.values()) way.reset();
    },
    rollBack: (during) => rolledBack([current().server], during),
    async [Symbol.asyncDispose]() {
      for (const way of ways.values()) await way[Symbol.asyncDispose]();
      for (const cluster of clusters) {
        cluster.admin[Symbol.dispose]();
        await cluster[Symbol.asyncDispose]();
      }
    },
  };
}
