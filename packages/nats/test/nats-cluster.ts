import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import {
  faultsThrough,
  processCluster,
  type StoreProxy,
  storeProxy,
} from '@leadership/testkit/faults';
import { localNats, type NatsSettings } from '@leadership/tools/nats';
import { natsBucket } from '../src/bucket.ts';
import { natsOver } from '../src/nats-leadership.ts';
import { administrator, putGarbage, putOtherRelease, rollBack } from './support/administrator.ts';
import { hindered } from './support/hindered.ts';

/** Creates a cluster on servers. The requests of each member of this process can be hindered. */
export async function natsCluster(settings: NatsSettings = {}): Promise<Cluster> {
  const nats = await localNats(settings);
  const servers = nats.addresses;
  const admin = await administrator({ servers: [...servers] });
  const ways = new Map<LeadershipSource, StoreProxy>();
  const proxyOf = (source: LeadershipSource): StoreProxy => {
    const way = ways.get(source);
    if (way === undefined) throw new RangeError(`${source.member} was opened elsewhere`);
    return way;
  };
  return processCluster({
    name: 'nats',
    // A request takes some milliseconds, or tens of milliseconds on a busy machine.
    thresholdMs: 1000,
    url: (group) => `nats://${servers.join(',')}/?group=${encodeURIComponent(group)}`,
    open(member) {
      const way = storeProxy();
      const source = natsOver({ servers, ...member }, (options, host) =>
        hindered(natsBucket(options, host), way),
      );
      ways.set(source, way);
      return source;
    },
    ...faultsThrough(proxyOf),
    announcesClaims: true,
    cannot: {
      'lose-quorum': 'the voters of a group are the servers of NATS',
      'voter-names': 'two members may have one name',
    },
    requests: () => [...ways.values()].reduce((sum, { requests }) => sum + requests, 0),
    contents: async (group) => (await admin.rows(group)).map(([name, text]) => `${name}: ${text}`),
    rollBack: (group) => rollBack(admin, group),
    async deleteState(group) {
      for (const [name] of await admin.rows(group)) await admin.put(group, name, null);
    },
    putGarbage: (group, partition) => putGarbage(admin, group, partition),
    putOtherRelease: (group, ...record) => putOtherRelease(admin, group, ...record),
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]();
      await nats[Symbol.asyncDispose]();
    },
  });
}
