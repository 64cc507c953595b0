import type { Cluster } from '@leadership/testkit';
import { processCluster, proxiedMembers, rowFaults, storeProxy } from '@leadership/testkit/faults';
import { localNats, type NatsSettings } from '@leadership/tools/nats';
import { NatsBucket } from '../src/bucket.ts';
import { natsOver } from '../src/over-bucket.ts';
import { administrator, editableRows, putForeign } from './support/administrator.ts';
import { hindered } from './support/hindered.ts';

/** Creates a cluster on servers. The requests of each member of this process can be hindered. */
export async function natsCluster(settings: NatsSettings = {}): Promise<Cluster> {
  const nats = await localNats(settings);
  const servers = nats.addresses;
  const admin = await administrator({ servers: [...servers] });
  const rows = rowFaults(editableRows(admin));
  return processCluster({
    name: 'nats',
    // A request takes some milliseconds, or tens of milliseconds on a busy machine.
    thresholdMs: 1000,
    url: (group) => `nats://${servers.join(',')}/?group=${encodeURIComponent(group)}`,
    ...proxiedMembers((member) => {
      const proxy = storeProxy();
      const source = natsOver({ servers, ...member }, (options, host) =>
        hindered(new NatsBucket(options, host), proxy),
      );
      return { source, proxy };
    }),
    announcesClaims: true,
    keepsPartitionsMax: true,
    cannot: {
      'lose-quorum': 'the voters of a group are the servers of NATS',
      'voter-names': 'two members may have one name',
    },
    ...rows,
    async putGarbage(group, partition) {
      await rows.putGarbage(group, partition);
      await putForeign(admin, group);
    },
    async deleteState(group) {
      for (const [name] of await admin.rows(group)) await admin.put(group, name, null);
    },
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]();
      await nats[Symbol.asyncDispose]();
    },
  });
}
